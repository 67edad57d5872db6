import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Instant, type IssuerCode, MINUTE, SECOND, type Ticker } from '@quipu/core'
import { simulatedChain } from '../chain/simulated.ts'
import { builtinIssuer } from '../issuer/builtin.ts'
import { makeRunJob } from './jobs.ts'
import { amount, buy, decided, instant, openTestWorld } from './testing/world.ts'

const chain = simulatedChain()
const WALLET = '0x52908400098527886e0f7030069857d2e4169ee7'

/** Runs jobs with an issuer that never responds, and counts the calls. */
function silentIssuer() {
  const calls: string[] = []
  const mint = ({ requestId }: { readonly requestId: string }) => {
    calls.push(requestId)
    return new Promise<never>(() => undefined)
  }
  return { calls, parts: { runJob: makeRunJob({ chain, issuer: { ...builtinIssuer(chain), mint } }) } }
}

const shortPause = () => new Promise((resume) => setTimeout(resume, 20))

test('a call that is overdue at a restart is made once', async () => {
  const first = silentIssuer()
  const { world, clock, account } = await openTestWorld({ parts: first.parts })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + SECOND) as Instant)
  const decision = await decided(world, {
    kind: 'requestMint',
    accountId: account.id,
    issuer: 'xstocks' as IssuerCode,
    network: 'base',
    underlying: 'AAPL' as Ticker,
    quantity: amount('1'),
    quantityText: '1',
    wallet: WALLET,
  })
  assert.ok(decision.ok)
  while (first.calls.length === 0) await shortPause()
  const journal = await world.journal.fork()
  await world.close()

  const second = silentIssuer()
  const start = (instant('2026-01-05T15:00:00Z') + 5n * MINUTE) as Instant
  const again = await openTestWorld({ parts: second.parts, start, journal: async () => journal })
  while (second.calls.length === 0) await shortPause()
  // While a response may still come, the call is not repeated.
  void again.clock.advance((again.clock.now() + 10n * SECOND) as Instant)
  await shortPause()
  assert.equal(second.calls.length, 1)
  const [job] = again.world.view.jobs.values()
  assert.deepEqual([job?.attempts, job?.problem], [2, undefined])
  await again.world.close()
})
