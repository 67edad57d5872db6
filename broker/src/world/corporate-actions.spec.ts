import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import {
  auditFaults,
  type CivilDate,
  forget,
  format,
  type PlaceOrder,
  type Price,
  type Ticker,
} from '@quipu/core'
import { stateText } from '../../../core/src/testing/state-text.ts'
import { worldMarket } from '../market/world-market.ts'
import { loadSnapshot } from '../query-tables/snapshot/snapshot.ts'
import { QueryTablesFolder } from '../query-tables/testing/query-tables-folder.ts'
import { amount, buy, decided, instant, openTestWorld, type TestWorld } from './testing/world.ts'

const AAPL = 'AAPL' as Ticker
const EX = '2026-01-07' as CivilDate
const BEFORE = instant('2026-01-07T04:59:00Z')
const AFTER = instant('2026-01-07T15:00:00Z')

const open = (folder: QueryTablesFolder, start = instant('2026-01-05T15:00:00Z')): Promise<TestWorld> =>
  openTestWorld({
    start,
    settings: { hours: 'nyse' },
    parts: {
      openJournal: () => folder.openJournal(),
      openQueryTables: (journal, failed) => folder.openQueryTables(journal, failed),
      snapshot: (journal, upTo) => loadSnapshot(folder.snapshots(), journal, upTo),
      market: (settings, added) => worldMarket({ settings, added }),
    },
  })

async function prepare({ world, account }: TestWorld): Promise<void> {
  const order: PlaceOrder = {
    ...buy(account, 'AAPL', '10'),
    timeInForce: 'gtc',
    class: 'bracket',
    takeProfit: { limit: amount<Price>('600') },
    stopLoss: { stop: amount<Price>('20') },
  }
  for (const command of [
    order,
    buy(account, 'MSFT', '7'),
    ...(
      [
        [AAPL, { kind: 'split', newRate: amount('4'), oldRate: amount('1') }],
        [
          'MSFT' as Ticker,
          {
            kind: 'dividend',
            rate: amount<Price>('0.75'),
            recordDate: EX,
            payDate: '2026-01-09' as CivilDate,
            special: false,
          },
        ],
        ['NVDA' as Ticker, { kind: 'symbolChange', newSymbol: 'CHIP' as Ticker }],
        ['F' as Ticker, { kind: 'delisting' }],
      ] as const
    ).map(([symbol, terms]) => ({ kind: 'scheduleAction', symbol, exDate: EX, terms }) as const),
  ]) {
    const decision = await decided(world, command)
    assert.ok(
      decision.ok,
      JSON.stringify(decision, (_, value) => String(value)),
    )
  }
}

/** The state that decisions depend on, without records that may be released already. */
function stateOf({ world }: TestWorld): string {
  const state = structuredClone(world.view) as never
  forget(state, world.view.seq)
  return stateText(state)
}

const held = ({ world, account }: TestWorld): string =>
  format(world.view.positions.get(account.id)!.get(AAPL)!.quantity)

test('a world that is reopened before or after an action has the same state, trades and ledger', async () => {
  const folder = new QueryTablesFolder()
  const first = await open(folder)
  await prepare(first)
  await first.clock.advance(BEFORE)
  const before = stateOf(first)
  const quoteAfter = first.world.market.pricesAt(AFTER).quote(AAPL)
  await first.world.close()

  const second = await open(folder, BEFORE)
  assert.equal(stateOf(second), before)
  assert.deepEqual(second.world.market.pricesAt(AFTER).quote(AAPL), quoteAfter)
  assert.equal(held(second), '10')
  await second.clock.advance(AFTER)
  assert.equal(held(second), '40')
  assert.equal(second.world.view.dividends.size, 1)
  assert.deepEqual(auditFaults(second.world.view), [])
  await second.world.storage.queryTables.reached(second.world.engine.durable)
  const after = stateOf(second)
  await second.world.close()

  for (const prepareRestart of [() => undefined, () => rmSync(folder.snapshots(), { recursive: true })]) {
    prepareRestart()
    const again = await open(folder, AFTER)
    assert.equal(stateOf(again), after)
    assert.deepEqual(again.world.market.pricesAt(AFTER).quote(AAPL), quoteAfter)
    assert.equal(again.world.market.assets().get('CHIP' as Ticker)!.status, 'active')
    await again.world.close()
    assert.deepEqual(again.failures, [])
  }
  const last = await open(folder, AFTER)
  await last.clock.advance(instant('2026-01-09T06:00:00Z'))
  assert.equal(last.world.view.dividends.size, 0)
  await last.world.close()
})

test('a world that was closed at the time of an action applies it at the next start', async () => {
  const folder = new QueryTablesFolder()
  const first = await open(folder)
  await prepare(first)
  await first.world.close()
  const second = await open(folder, AFTER)
  assert.equal(held(second), '40')
  assert.deepEqual(auditFaults(second.world.view), [])
  await second.world.close()
  assert.deepEqual(second.failures, [])
})
