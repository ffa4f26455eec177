package main

import "handrail/server"

// embeddings returns the model that the environment names. An empty address turns off the one
// that another has named; without the variable nothing is said.
func embeddings(lookup func(string) (string, bool)) *server.Embeddings {
	url, said := lookup("HANDRAIL_EMBEDDINGS_URL")
	if !said {
		return nil
	}
	model, _ := lookup("HANDRAIL_EMBEDDINGS_MODEL")
	key, _ := lookup("HANDRAIL_EMBEDDINGS_KEY")
	return &server.Embeddings{URL: url, Model: model, Key: key}
}
