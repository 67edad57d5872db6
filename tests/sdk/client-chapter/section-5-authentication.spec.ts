import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthError, createQuipu, PermissionError } from '@quipu/sdk'
import { assertRefused, client, mintRequest, participant, UNKNOWN_ID } from './stage.ts'

/** Section 5 of the specification: credentials, and what each may do. */

test('5.1 tokenization: wrong or missing credentials are 401, a caller who may not is 403', async () => {
  const { url, keyId, partnerClient } = await client()
  const wrong = createQuipu({ url, keyId, secretKey: 'wrong' })
  const nobody = createQuipu({ url, accessToken: 'nobody' })
  for (const { tokenization } of [wrong, nobody])
    for (const call of [
      () => tokenization.list(),
      () => tokenization.get(UNKNOWN_ID),
      () => tokenization.byClientRequestId('label'),
      () => tokenization.mint(mintRequest),
    ])
      assert.ok((await assertRefused(call(), 401)) instanceof AuthError)
  const body = mintRequest
  for (const call of [
    () => partnerClient.getTokenizationRequests(),
    () => partnerClient.getTokenizationRequest({ params: { tokenization_request_id: UNKNOWN_ID } }),
    () => partnerClient.getTokenizationRequestByClientRequestID({ query: { client_request_id: 'label' } }),
    () => partnerClient.postTokenizationMint({ body }),
  ])
    assert.ok((await assertRefused(call(), 403)) instanceof PermissionError)
})

test('5.1 requests are those of the calling account', async () => {
  const { quipu } = await participant()
  const { tokenization_request_id: id } = await quipu.tokenization.mint(mintRequest)
  const stranger = await client({ seed: 'stranger' })
  await assertRefused(stranger.quipu.tokenization.get(id), 404)
  assert.deepEqual(await stranger.quipu.tokenization.list(), [])
})

test('5.2 a program is configured with a key id and a secret, never with half of them', async () => {
  const { url, keyId, secretKey } = await client()
  assert.equal((await createQuipu({ url, keyId, secretKey }).account.get()).status, 'ACTIVE')
  // @ts-expect-error the secret is missing
  assert.throws(() => createQuipu({ url, keyId }), /keyId without secretKey/)
  // @ts-expect-error the key id is missing
  assert.throws(() => createQuipu({ url, secretKey }), /secretKey without keyId/)
})

test('5.2 a program checks its connection without an exception', async () => {
  const { url, keyId, quipu } = await client()
  const check = await quipu.validateConnection()
  assert.deepEqual([check.ok, check.status], [true, 200])
  const wrong = await createQuipu({ url, keyId, secretKey: 'wrong' }).validateConnection()
  assert.deepEqual([wrong.ok, wrong.status], [false, 401])
  assert.match(wrong.requestId ?? '', /^[0-9a-f]{32}$/)
  const nowhere = createQuipu({ url: 'http://127.0.0.1:9', keyId, secretKey: 's', retries: 0 })
  const { ok, status } = await nowhere.validateConnection()
  assert.deepEqual([ok, status], [false, undefined])
})

test('5.3 the code flow: a code, then a token, which a program presents like a key', async () => {
  const { url, partnerClient, app, accountId, quipu } = await client()
  const { code } = await partnerClient.authorizeOAuthToken({
    body: { ...app, account_id: accountId, scope: 'trading' },
  })
  const { access_token: accessToken } = await quipu.oauth.exchangeCode({
    clientId: app.client_id,
    clientSecret: app.client_secret,
    redirectUri: app.redirect_uri,
    code,
  })
  const withToken = createQuipu({ url, accessToken })
  assert.equal((await withToken.account.get()).id, accountId)
  const stream = withToken.streams.tradeUpdates()
  assert.equal((await stream.authenticate()).authenticated, true)
  stream.close()
})

test('5.5 paper trading is chosen in the configuration', async (t) => {
  const urls: string[] = []
  const record: typeof fetch = async (to) => {
    urls.push(new URL(String(to)).host)
    return Response.json({})
  }
  const key = { keyId: 'K', secretKey: 'S', fetch: record, url: undefined }
  const before = process.env
  t.after(() => {
    process.env = before
  })
  const { QUIPU_URL: _, APCA_API_BASE_URL: __, APCA_API_DATA_URL: ___, ...env } = process.env
  process.env = env
  for (const paper of [undefined, true, false]) await createQuipu({ ...key, paper }).account.get()
  assert.deepEqual(urls, ['paper-api.alpaca.markets', 'paper-api.alpaca.markets', 'api.alpaca.markets'])
})
