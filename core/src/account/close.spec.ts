import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { amount } from '../testing/script-lines.ts'
import { TestWorld } from '../testing/world.ts'
import type { ClosedPart } from './commands.ts'

const all: ClosedPart = { kind: 'all' }
const shares = (size: string): ClosedPart => ({ kind: 'quantity', quantity: amount(size) as Quantity })
const percent = (size: string): ClosedPart => ({ kind: 'percentage', percentage: amount(size) })

/** The order that closes a part (side, intent, time in force and size), or the refusal. */
function closed(lines: readonly string[], part: ClosedPart, symbol = 'AAPL'): string {
  const world = new TestWorld()
  world.assets.set('BTC/USD', { class: 'crypto', marginable: false, shortable: false, tick: 1n as never })
  for (const line of ['open A 100000', 'quote AAPL 100 100', 'quote BTC/USD 50000 50000', ...lines])
    world.run(line)
  const accountId = world.accounts.get('A')!
  const decision = world.submit({ kind: 'closePosition', accountId, symbol: symbol as Ticker, part })
  if (!decision.ok) return decision.reason.code
  return decision.value
    .flatMap((event) => (event.kind === 'orderAccepted' ? [event.order] : []))
    .map(({ kind, side, intent, timeInForce, quantity }) =>
      [kind, side, intent, timeInForce, format(quantity)].join(' '),
    )
    .join('; ')
}

for (const [lines, part, then] of [
  [['buy A o1 AAPL 10'], all, 'market sell sellToClose day 10'],
  [['buy A o1 AAPL 10'], shares('3'), 'market sell sellToClose day 3'],
  [['buy A o1 AAPL 10'], shares('0.5'), 'market sell sellToClose day 0.5'],
  [['buy A o1 AAPL 10'], shares('10.1'), 'insufficientQuantity'],
  [['buy A o1 AAPL 10'], percent('50'), 'market sell sellToClose day 5'],
  [['buy A o1 AAPL 10'], percent('100'), 'market sell sellToClose day 10'],
  // A percentage of whole shares is rounded down to whole shares.
  [['buy A o1 AAPL 10'], percent('25'), 'market sell sellToClose day 2'],
  [['buy A o1 AAPL 10'], percent('9.99'), 'partTooSmall'],
  [['buy A o1 AAPL 2.5'], percent('25'), 'market sell sellToClose day 0.625'],
  [['buy A o1 AAPL 0.000000003'], percent('50'), 'market sell sellToClose day 0.000000001'],
  [['sell A o1 AAPL 10'], all, 'market buy buyToClose day 10'],
  [['sell A o1 AAPL 10'], percent('30'), 'market buy buyToClose day 3'],
  [['sell A o1 AAPL 10'], shares('11'), 'insufficientQuantity'],
  [[], all, 'nothingToClose'],
  // Shares held by an open order are not available.
  [['buy A o1 AAPL 10', 'sell A o2 AAPL 4 @120'], all, 'insufficientQuantity'],
  [['buy A o1 AAPL 10', 'sell A o2 AAPL 4 @120'], shares('6'), 'market sell sellToClose day 6'],
  [['sell A o1 AAPL 10', 'buy A o2 AAPL 4 @80'], all, 'insufficientQuantity'],
  [['sell A o1 AAPL 10', 'buy A o2 AAPL 4 @80'], shares('6'), 'market buy buyToClose day 6'],
] as const)
  test(`${lines.join('; ')}: close ${JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? format(value) : value))}: ${then}`, () =>
    assert.equal(closed(lines, part), then))

for (const [lines, part, then] of [
  [['buy A o1 BTC/USD 0.1 gtc'], all, 'market sell sellToClose gtc 0.1'],
  [['buy A o1 BTC/USD 0.1 gtc'], percent('33'), 'market sell sellToClose gtc 0.033'],
  [['buy A o1 BTC/USD 0.1 gtc'], shares('0.2'), 'insufficientBalance'],
  // A small rest of a coin can be sold completely.
  [['buy A o1 BTC/USD 0.1 gtc', 'sell A o2 BTC/USD 0.0999 gtc'], all, 'market sell sellToClose gtc 0.0001'],
] as const)
  test(`${lines.join('; ')}: close ${part.kind}: ${then}`, () =>
    assert.equal(closed(lines, part, 'BTC/USD'), then))
