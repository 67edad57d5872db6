import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  authorizeQuery,
  Browser,
  type Fields,
  hiddenIn,
  openPages,
  type PageScene,
} from '../testing/pages.ts'

let scene: PageScene
before(async () => {
  scene = await openPages()
})
after(() => scene.close())

const ACTION = '/oauth/authorize'
const authorize = (patch: Fields = {}) => `${ACTION}?${authorizeQuery(scene, patch)}`

async function signedIn(): Promise<Browser> {
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery(scene))
  return browser
}

const forged: readonly (readonly [string, (csrf: string) => Fields, Record<string, string>, number])[] = [
  ['without a token', () => ({ csrf: undefined }), {}, 400],
  ['with an empty token', () => ({ csrf: '' }), {}, 400],
  ['with half a token', (csrf) => ({ csrf: csrf.slice(0, 20) }), {}, 400],
  ['from another site', (csrf) => ({ csrf }), { 'sec-fetch-site': 'cross-site' }, 403],
  ['from a sibling site', (csrf) => ({ csrf }), { 'sec-fetch-site': 'same-site' }, 403],
  ['from another origin', (csrf) => ({ csrf }), { origin: 'https://evil.example' }, 403],
]
for (const [input, token, headers, status] of forged)
  test(`a response ${input} allows nothing`, async () => {
    const browser = await signedIn()
    const { csrf = '', request } = hiddenIn(await browser.get(authorize()), ACTION)
    const before = scene.world.view.grants.size
    const fields = { request, answer: 'allow', paper: scene.paper, ...token(csrf) }
    const visit = await browser.post(ACTION, fields, headers)
    assert.deepEqual([visit.status, visit.location], [status, undefined])
    assert.equal(scene.world.view.grants.size, before)
  })

test('a CSRF token of one session is refused in another', async () => {
  const [mine, theirs] = [await signedIn(), await signedIn()]
  const { csrf } = hiddenIn(await theirs.get(authorize()), ACTION)
  const visit = await mine.submit(await mine.get(authorize()), ACTION, {
    csrf,
    answer: 'allow',
    paper: scene.paper,
  })
  assert.equal(visit.status, 400)
})

const changedForms: readonly (readonly [string, Fields, number, RegExp | undefined])[] = [
  ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 400, undefined],
  ['another app', { client_id: 'ff' }, 400, undefined],
  ['a scope that the app may not have', { scope: 'tokenization' }, 303, /error=invalid_scope/],
  ['response type token', { response_type: 'token' }, 303, /error=unsupported_response_type/],
]
for (const [input, patch, status, location] of changedForms)
  test(`a form that was changed to request ${input} is checked again: ${status}`, async () => {
    const browser = await signedIn()
    const { csrf } = hiddenIn(await browser.get(authorize()), ACTION)
    const before = scene.world.view.grants.size
    const request = authorizeQuery(scene, patch)
    const visit = await browser.post(ACTION, { csrf, request, answer: 'allow', paper: scene.paper })
    assert.equal(visit.status, status)
    if (location) assert.match(visit.location ?? '', location)
    assert.equal(scene.world.view.grants.size, before)
  })
