// The addresses of requests are those that the description names.
export default {
  api: {
    input: process.env.DESCRIPTION,
    output: { target: 'made/orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
