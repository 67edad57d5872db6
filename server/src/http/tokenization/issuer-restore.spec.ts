import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { auditFaults } from '@quipu/core'
import { urlsOf } from './testing/external-issuer.ts'
import { addIssuer, openTokenStage } from './testing/issuers.ts'

const stage = await openTokenStage({ after }, 200)
const { externalIssuer, world, operatorKey } = stage
const sim = '/sim/v1/worlds/lab/tokenization'
const operator = (route: string, body?: unknown) => stage.as(operatorKey, route, { body })

/** The states of all mints, newest first. */
const states = async () =>
  (await operator(`GET ${sim}/requests?status=all`)).body.map(({ state }: { state: string }) => state)

test('a restored built-in issuer completes the mints that wait for the external issuer', async () => {
  const custody = { custody_url: `${externalIssuer.url}/custody/{underlying_symbol}` }
  await addIssuer(stage, { issuer: 'st0x', api_key: 'k', ...urlsOf(externalIssuer) })
  const mint = async () => {
    await stage.mint({ qty: '1' })
    await world.commands.quiet()
  }
  await mint()
  const failAt = (path: string) => {
    externalIssuer.respond = ({ route }) => (route.endsWith(path) ? { status: 503 } : undefined)
  }
  failAt('/confirm')
  await mint()
  await addIssuer(stage, { issuer: 'st0x', api_key: 'k', ...urlsOf(externalIssuer), ...custody })
  failAt('/custody/AAPL')
  await mint()
  failAt('/mint')
  await mint()
  assert.deepEqual(await states(), ['validating', 'issuer_accepted', 'transferred', 'confirmed'])
  assert.equal((await operator(`POST ${sim}/issuers/st0x/restore`)).status, 200)
  await stage.advance(1)
  assert.deepEqual(await states(), ['completed', 'completed', 'completed', 'completed'])
  assert.deepEqual([stage.sharesOf(), auditFaults(world.view)], [6_000_000_000n, []])
})

test('a held mint stays held, and continues with the built-in issuer after its release', async () => {
  await addIssuer(stage, { issuer: 'st0x', api_key: 'k', ...urlsOf(externalIssuer) })
  externalIssuer.respond = () => undefined
  const { body } = await stage.mint({ qty: '1' })
  await world.commands.quiet()
  const request = `${sim}/requests/${body.tokenization_request_id}`
  assert.equal((await operator(`POST ${request}/hold`)).status, 200)
  await operator(`POST ${sim}/issuers/st0x/restore`)
  await stage.advance(1)
  assert.equal((await states())[0], 'confirmed')
  await operator(`POST ${request}/release`)
  await stage.advance(1)
  assert.equal((await states())[0], 'completed')
})
