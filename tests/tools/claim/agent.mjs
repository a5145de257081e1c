// An agent as the specification describes it: registers, starts a claim, sends the code, uses its credential.

import { confide } from '../secrets.mjs';

export class Agent {
  constructor(site, registration) {
    this.site = site;
    this.registration = registration;
  }

  static async register(site) {
    const agent = new Agent(site);
    agent.registration = await agent.#post('/agent/auth', { type: 'anonymous' });
    confide(agent.registration.claim_token, agent.registration.credential);
    if (!agent.registration.claim_token) throw new Error(`no registration: ${JSON.stringify(agent.registration)}`);
    return agent;
  }

  claim(email, locale) {
    return this.#post(`/agent/auth/claim?locale=${locale}`, { claim_token: this.registration.claim_token, email, locale });
  }

  complete(otp) {
    confide(otp.replace(/ /g, ''));
    return this.#post('/agent/auth/claim/complete', { claim_token: this.registration.claim_token, otp });
  }

  /** Returns the status of a call with the credential. */
  async works() {
    const headers = { authorization: `Bearer ${this.registration.credential}` };
    return (await fetch(`${this.site.url}/api/v1/team`, { headers })).status;
  }

  async #post(path, body) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.site.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  }
}
