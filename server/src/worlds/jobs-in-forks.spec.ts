import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, type WorldId } from '@quipu/core'
import { openTokenStage, plainMint, type TokenStage } from '../http/tokenization/testing/issuers.ts'

const BRANCH = 'branch' as WorldId
async function forked(stage: TokenStage) {
  const { worlds } = stage.services
  const { world, clock } = await worlds.fork(worlds.place('lab')!, BRANCH)
  const sim = `/sim/v1/worlds/${BRANCH}`
  const operator = (route: string, body?: unknown) => {
    const [method, path] = route.split(' ')
    return stage.as(stage.operatorKey, `${method} ${sim}/${path}`, { body })
  }
  return { world, clock: clock!, operator }
}

for (const [step, route] of [
  ['the issuer is asked', 'POST /mint'],
  ['the issuer is told', 'POST /confirm'],
] as const)
  test(`a fork made while ${step} calls nobody: the request waits there, and can be ended by hand`, async (t) => {
    const stage = await openTokenStage(t)
    stage.outside.says = (heard) => (heard.route === route ? { status: 503 } : undefined)
    const { tokenization_request_id: id } = (await stage.mint()).body
    await stage.world.quiet()
    const { world, clock, operator } = await forked(stage)
    stage.outside.heard.length = 0
    await clock.advance((clock.now() + 600_000_000_000n) as never)
    await world.quiet()
    assert.deepEqual(stage.outside.heard, [], 'nobody was called')
    const [job] = (await operator('GET jobs')).body
    assert.deepEqual([job.tokenization_request_id, job.parked], [id, true])
    const [waiting] = (await operator('GET tokenization/requests')).body
    assert.deepEqual([waiting.tokenization_request_id, waiting.held], [id, true])
    // Letting it go does not let it out.
    await operator(`POST tokenization/requests/${id}/release`)
    await world.quiet()
    assert.deepEqual(stage.outside.heard, [])
    const ended = await operator(`POST tokenization/requests/${id}/complete`, {})
    assert.equal(ended.body.status, 'completed')
    assert.deepEqual(faultsOf(world.view), [])
    assert.deepEqual((await operator('GET jobs')).body, [])

    // The parent goes on as if nothing had been.
    stage.outside.says = () => undefined
    await stage.advance(60)
    assert.equal(stage.world.view.requests.get(id)?.status, 'confirmed')
  })

test('a mint begun in a fork waits with an issuer outside, at once, and ends with the built-in one', async (t) => {
  const stage = await openTokenStage(t, 60_000)
  const { world, operator } = await forked(stage)
  stage.outside.heard.length = 0
  const inject = (issuer: string) =>
    operator('POST tokenization/requests', { ...plainMint, issuer, account_id: stage.accountId })
  const outside = await inject('st0x')
  assert.deepEqual([outside.status, outside.body.held], [201, true], JSON.stringify(outside.body))
  const inside = await inject('xstocks')
  await world.quiet()
  const { status } = world.view.requests.get(inside.body.tokenization_request_id) ?? {}
  assert.equal(status, 'completed')
  assert.deepEqual(stage.outside.heard, [])
})

test('an issuer outside is not asked whom it knows by a fork', async (t) => {
  const stage = await openTokenStage(t)
  const { world, operator } = await forked(stage)
  stage.outside.heard.length = 0
  const body = { account_id: stage.otherId, issuer: 'ondo', email: 'ap@example.org' }
  assert.equal((await operator('POST tokenization/links', body)).status, 201)
  await world.quiet()
  const link = [...world.view.links.values()].find(({ email }) => email === body.email)
  assert.deepEqual([link?.state, link?.reason], ['refused', 'a fork calls nobody outside'])
  assert.deepEqual(stage.outside.heard, [])
  assert.equal(world.view.jobs.size, 0)
})

test('an issuer outside is not told of a rejection by a fork, and the call is not kept', async (t) => {
  const stage = await openTokenStage(t)
  stage.outside.says = ({ route }) => (route === 'POST /mint' ? { status: 503 } : undefined)
  const { tokenization_request_id: id } = (await stage.mint()).body
  await stage.world.quiet()
  const { world, clock, operator } = await forked(stage)
  stage.outside.heard.length = 0
  assert.equal((await operator(`POST tokenization/requests/${id}/reject`, {})).body.status, 'rejected')
  await clock.advance((clock.now() + 600_000_000_000n) as never)
  await world.quiet()
  assert.deepEqual([stage.outside.heard, (await operator('GET jobs')).body], [[], []])
})
