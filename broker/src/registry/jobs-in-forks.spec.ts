import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFaults, type WorldId } from '@quipu/core'
import {
  openTokenStage,
  plainMint,
  type TokenStage,
} from '@quipu/server/http/tokenization/testing/issuers.ts'

const BRANCH = 'branch' as WorldId
async function forked(stage: TokenStage) {
  const { worlds } = stage.services
  const { world, clock } = await worlds.lifecycle.fork(worlds.entry('lab')!, BRANCH)
  const sim = `/sim/v1/worlds/${BRANCH}`
  const operator = (route: string, body?: unknown) => {
    const [method, path] = route.split(' ')
    return stage.as(stage.operatorKey, `${method} ${sim}/${path}`, { body })
  }
  return { world, clock: clock!, operator }
}

for (const [step, route] of [
  ['the mint is requested', 'POST /mint'],
  ['the issuer is notified', 'POST /confirm'],
] as const)
  test(`a fork made while ${step} makes no external call: its request is on hold and can be completed by an operator`, async (t) => {
    const stage = await openTokenStage(t)
    stage.externalIssuer.respond = (request) => (request.route === route ? { status: 503 } : undefined)
    const { tokenization_request_id: id } = (await stage.mint()).body
    await stage.world.commands.quiet()
    const { world, clock, operator } = await forked(stage)
    stage.externalIssuer.requests.length = 0
    await clock.advance((clock.now() + 600_000_000_000n) as never)
    await world.commands.quiet()
    assert.deepEqual(stage.externalIssuer.requests, [], 'no external call was made')
    const [job] = (await operator('GET jobs')).body
    assert.deepEqual([job.tokenization_request_id, job.parked], [id, true])
    const [waiting] = (await operator('GET tokenization/requests')).body
    assert.deepEqual([waiting.tokenization_request_id, waiting.held], [id, true])
    // Releasing the hold does not send the call.
    await operator(`POST tokenization/requests/${id}/release`)
    await world.commands.quiet()
    assert.deepEqual(stage.externalIssuer.requests, [])
    const ended = await operator(`POST tokenization/requests/${id}/complete`, {})
    assert.equal(ended.body.status, 'completed')
    assert.deepEqual(auditFaults(world.view), [])
    assert.deepEqual((await operator('GET jobs')).body, [])

    // The parent continues undisturbed.
    stage.externalIssuer.respond = () => undefined
    await stage.advance(60)
    assert.equal(stage.world.view.requests.get(id)?.status, 'confirmed')
  })

test('a mint requested in a fork is held for an external issuer, and completes with the built-in one', async (t) => {
  const stage = await openTokenStage(t, 60_000)
  const { world, operator } = await forked(stage)
  stage.externalIssuer.requests.length = 0
  const inject = (issuer: string) =>
    operator('POST tokenization/requests', { ...plainMint, issuer, account_id: stage.accountId })
  const externalIssuer = await inject('st0x')
  assert.deepEqual(
    [externalIssuer.status, externalIssuer.body.held],
    [201, true],
    JSON.stringify(externalIssuer.body),
  )
  const inside = await inject('xstocks')
  await world.commands.quiet()
  const { status } = world.view.requests.get(inside.body.tokenization_request_id) ?? {}
  assert.equal(status, 'completed')
  assert.deepEqual(stage.externalIssuer.requests, [])
})

test('a fork does not look up customers at an external issuer', async (t) => {
  const stage = await openTokenStage(t)
  const { world, operator } = await forked(stage)
  stage.externalIssuer.requests.length = 0
  const body = { account_id: stage.otherId, issuer: 'ondo', email: 'ap@example.org' }
  assert.equal((await operator('POST tokenization/links', body)).status, 201)
  await world.commands.quiet()
  const link = [...world.view.links.values()].find(({ email }) => email === body.email)
  assert.deepEqual([link?.state, link?.reason], ['refused', 'a fork does not call external issuers'])
  assert.deepEqual(stage.externalIssuer.requests, [])
  assert.equal(world.view.jobs.size, 0)
})

test('a fork does not notify an external issuer of a rejection, and drops the call', async (t) => {
  const stage = await openTokenStage(t)
  stage.externalIssuer.respond = ({ route }) => (route === 'POST /mint' ? { status: 503 } : undefined)
  const { tokenization_request_id: id } = (await stage.mint()).body
  await stage.world.commands.quiet()
  const { world, clock, operator } = await forked(stage)
  stage.externalIssuer.requests.length = 0
  assert.equal((await operator(`POST tokenization/requests/${id}/reject`, {})).body.status, 'rejected')
  await clock.advance((clock.now() + 600_000_000_000n) as never)
  await world.commands.quiet()
  assert.deepEqual([stage.externalIssuer.requests, (await operator('GET jobs')).body], [[], []])
})
