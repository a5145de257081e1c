// The calls of judge.ts with the client of openapi-generator.

import { base, judge } from './judge';
import { Configuration, ContentApi, ErrorResponseFromJSON, ResponseError } from './made/generator';

const content = new ContentApi(new Configuration({ basePath: base }));

await judge({
  'openapi-generator': async (locale, headers) => {
    try {
      const answer = await content.listPublicationsRaw({ locale }, { headers });
      return { status: answer.raw.status, etag: answer.raw.headers.get('etag'), list: await answer.value() };
    } catch (failure) {
      if (!(failure instanceof ResponseError)) throw failure;
      const { status, headers } = failure.response;
      const error = status === 304 ? undefined : ErrorResponseFromJSON(await failure.response.json()).error;
      return { status, etag: headers.get('etag'), error };
    }
  },
});
