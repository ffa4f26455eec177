package main

import "handrail/server"

// The variables that name an embeddings model. They turn it on for everything that this
// environment starts; without the first, nothing is said of it.
const (
	envEmbeddingsURL   = "HANDRAIL_EMBEDDINGS_URL"
	envEmbeddingsModel = "HANDRAIL_EMBEDDINGS_MODEL"
	envEmbeddingsKey   = "HANDRAIL_EMBEDDINGS_KEY"
)

// embeddings returns what the environment says of embeddings. An empty address turns them
// off that another command has turned on.
func embeddings(lookup func(string) (string, bool)) *server.Embeddings {
	url, said := lookup(envEmbeddingsURL)
	if !said {
		return nil
	}
	model, _ := lookup(envEmbeddingsModel)
	key, _ := lookup(envEmbeddingsKey)
	return &server.Embeddings{URL: url, Model: model, Key: key}
}
