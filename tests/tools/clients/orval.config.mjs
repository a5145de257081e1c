// Requests use the addresses of the description.
export default {
  api: {
    input: process.env.DESCRIPTION,
    output: { target: 'made/orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
