import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFaults } from '@quipu/core'
import type { Called } from '../testing/server.ts'
import { EXTERNAL_ID, openTokenStage, plainMint, type TokenStage, WALLET } from './testing/issuers.ts'

const HOUR_SECONDS = 3600
const sim = '/sim/v1/worlds/lab/tokenization'
const pathOf = (accountId: string, rest: string) => `/v1/accounts/${accountId}/tokenization/${rest}`

const callback = (stage: TokenStage, id: string, patch: object = {}): Promise<Called> =>
  stage.as(stage.st0x.key, `POST ${pathOf(stage.st0x.accountId, 'callback/mint')}`, {
    body: { tokenization_request_id: id, tx_hash: '0xabc', client_account_id: stage.accountId, ...patch },
  })

async function createMint(stage: TokenStage, accountId: string = stage.accountId): Promise<string> {
  const route = `POST ${pathOf(accountId, 'mint')}`
  const { status, body } = await stage.as(stage.partnerKey, route, { body: plainMint })
  assert.equal(status, 200, JSON.stringify(body))
  await stage.world.commands.quiet()
  return body.tokenization_request_id
}

const worldRequest = async (stage: TokenStage, id: string) => {
  const { body } = await stage.as(stage.operatorKey, `GET ${sim}/requests?status=all`)
  return body.find((one: { tokenization_request_id: string }) => one.tokenization_request_id === id)
}

/** Asserts a refusal that changes nothing. */
async function assertRefused(
  stage: TokenStage,
  send: () => Promise<Called>,
  status: number,
  message: RegExp,
) {
  const before = [stage.world.view.seq, stage.sharesOf(), stage.sharesOf(stage.st0x.accountId)]
  const { status: received, body } = await send()
  assert.deepEqual([received, message.test(body.message)], [status, true], JSON.stringify(body))
  await stage.world.commands.quiet()
  assert.deepEqual([stage.world.view.seq, stage.sharesOf(), stage.sharesOf(stage.st0x.accountId)], before)
  assert.deepEqual(auditFaults(stage.world.view), [])
}

test('a callback for a mint that was given up is refused at any time', async (t) => {
  const stage = await openTokenStage(t, 50)
  stage.externalIssuer.respond = ({ route }) => (route === 'POST /mint' ? { status: 503 } : undefined)
  const id = await createMint(stage)
  await stage.advance(16 * 60)
  assert.equal((await worldRequest(stage, id)).state, 'rejected')
  for (const seconds of [0, HOUR_SECONDS]) {
    await stage.advance(seconds)
    await assertRefused(
      stage,
      () => callback(stage, id),
      400,
      /^the request is rejected: it cannot be completed$/,
    )
  }
  assert.equal(stage.sharesOf(), 10_000_000_000n)
})

test('an issuer that answers 200 with a refusal gets no shares, and the mint is rejected with its reason', async (t) => {
  const stage = await openTokenStage(t)
  const refusal = { issuer_request_id: 'i-1', status: 'rejected', reason: 'the wallet is not known' }
  stage.externalIssuer.respond = ({ route }) =>
    route === 'POST /mint' ? { status: 200, body: refusal } : undefined
  const { status, body } = await stage.mint()
  assert.deepEqual([status, body.message], [400, 'the wallet is not known'])
  await stage.world.commands.quiet()
  assert.deepEqual([stage.sharesOf(), stage.sharesOf(stage.st0x.accountId)], [10_000_000_000n, 0n])
  const [request] = (await stage.as(stage.operatorKey, `GET ${sim}/requests?status=all`)).body
  assert.deepEqual([request.state, request.reason], ['rejected', 'the wallet is not known'])
})

test('an issuer that answers neither yes nor no is asked again', async (t) => {
  const stage = await openTokenStage(t, 50)
  let status = 'pending'
  stage.externalIssuer.respond = ({ route, body }) =>
    route === 'POST /mint'
      ? { status: 200, body: { issuer_request_id: `i-${body.tokenization_request_id}`, status } }
      : undefined
  const id = await createMint(stage)
  assert.equal((await worldRequest(stage, id)).state, 'validating')
  assert.equal(stage.sharesOf(), 10_000_000_000n)
  status = 'created'
  await stage.advance(60)
  assert.equal((await worldRequest(stage, id)).state, 'confirmed')
})

test('an operator rejects a late mint: the shares are returned and a later callback is refused', async (t) => {
  const stage = await openTokenStage(t)
  const id = await createMint(stage)
  await stage.advance(HOUR_SECONDS + 1)
  const late = await worldRequest(stage, id)
  assert.deepEqual([late.state, late.late], ['confirmed', true])
  const { status } = await stage.as(stage.operatorKey, `POST ${sim}/requests/${id}/reject`, { body: {} })
  assert.equal(status, 200)
  await stage.world.commands.quiet()
  assert.equal(stage.sharesOf(), 10_000_000_000n)
  await assertRefused(
    stage,
    () => callback(stage, id),
    400,
    /^the request is rejected: it cannot be completed$/,
  )
})

test('a late mint that was not given up is completed by its callback', async (t) => {
  const stage = await openTokenStage(t)
  const id = await createMint(stage)
  await stage.advance(HOUR_SECONDS + 1)
  const { status, body } = await callback(stage, id)
  assert.deepEqual([status, body.status], [200, 'completed'])
  assert.deepEqual([(await worldRequest(stage, id)).late, stage.sharesOf()], [false, 8_500_000_000n])
  assert.deepEqual(auditFaults(stage.world.view), [])
})

test('a participant has one name at an issuer; a callback or redeem with another name is refused', async (t) => {
  const stage = await openTokenStage(t)
  const { accountId, otherId, st0x } = stage
  const id = await createMint(stage, otherId)
  for (const name of [{ client_account_id: otherId }, { client_account_id: accountId }])
    await assertRefused(stage, () => callback(stage, id, name), 422, /participant differs/)
  const done = await callback(stage, id, {
    client_account_id: undefined,
    client_external_account_id: EXTERNAL_ID,
  })
  assert.deepEqual([done.status, done.body.status], [200, 'completed'])
  const redeem = (name: object) => () =>
    stage.as(st0x.key, `POST ${pathOf(st0x.accountId, 'callback/redeem')}`, {
      body: {
        issuer_request_id: 'r-1',
        underlying_symbol: 'AAPL',
        token_symbol: 'tAAPL',
        qty: '1',
        network: 'base',
        wallet_address: WALLET,
        tx_hash: '0x77',
        ...name,
      },
    })
  await assertRefused(
    stage,
    redeem({ client_account_id: otherId }),
    400,
    /not supported for tokenization by st0x/,
  )
  assert.equal((await redeem({ client_external_account_id: EXTERNAL_ID })()).status, 200)
  await stage.world.commands.quiet()
  assert.equal(stage.sharesOf(otherId), 9_500_000_000n)
})

for (const [naming, participant, name] of [
  ['the account id', 'accountId', undefined],
  ['an external id', 'otherId', { client_account_id: undefined, client_id: EXTERNAL_ID }],
] as const)
  test(`a pending mint is completed by ${naming} after the link was deleted`, async (t) => {
    const stage = await openTokenStage(t)
    const id = await createMint(stage, stage[participant])
    const unlink = `DELETE ${sim}/links/${stage[participant]}/st0x`
    assert.equal((await stage.as(stage.operatorKey, unlink)).status, 204)
    const { status, body } = await callback(stage, id, name)
    assert.deepEqual([status, body.status], [200, 'completed'], JSON.stringify(body))
    assert.equal(body.client_external_account_id, name?.client_id)
    assert.equal(body.client_account_id, name ? undefined : stage.accountId)
  })
