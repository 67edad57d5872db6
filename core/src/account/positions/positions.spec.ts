import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Money } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { amount, quantity } from '../../testing/script-lines.ts'
import type { Position } from '../account.ts'
import { onDay } from './lots.ts'
import { positionAfter, todayOf } from './positions.ts'

/** `+10 100`: buy 10 at 100; `-5`: sell 5; `-5=60`: 5 shares leave with a cost of 60; `close`: the day ends. */
function positionAfterSteps(steps: readonly string[]): string {
  let position: Position | undefined
  let day = 1
  const date = () => `2026-11-0${day}` as CivilDate
  for (const step of steps) {
    if (step === 'close') {
      day += 1
      continue
    }
    const [move = '', cost] = step.split('=')
    const [size = '', price] = move.split(' ')
    const change = {
      symbol: 'AAPL' as Ticker,
      quantity: quantity(size.replace('+', '')),
      cost:
        price === undefined
          ? cost === undefined
            ? ('average' as const)
            : (-amount(cost) as Money)
          : (((quantity(size) * amount(price)) / 10n ** 9n) as Money),
    }
    position = positionAfter(position, change, date())
  }
  if (!position) return 'none'
  const today = todayOf(position, date())
  position = onDay(position, date())
  const part = today ? `, today ${format(today.quantity)} for ${format(today.cost)}` : ''
  return `${format(position.quantity)} for ${format(position.costBasis)}${part}`
}

for (const [steps, then] of [
  [['+10 100'], '10 for 1000, today 10 for 1000'],
  [['+10 100', '+10 110'], '20 for 2100, today 20 for 2100'],
  [['+10 100', '+10 110', '-5'], '15 for 1575, today 15 for 1575'],
  [['+10 100', '-10'], 'none'],
  [['-10 100'], '-10 for -1000, today -10 for -1000'],
  [['-10 100', '-10 110', '5'], '-15 for -1575, today -15 for -1575'],
  [['-10 100', '10'], 'none'],
  // On the next day nothing of the position was opened today.
  [['+10 100', 'close'], '10 for 1000'],
  [['+10 100', 'close', '+5 120'], '15 for 1600, today 5 for 600'],
  // A sale takes shares held overnight first.
  [['+10 100', 'close', '+5 130', '-10'], '5 for 550, today 5 for 650'],
  [['+10 100', 'close', '+5 130', '-12'], '3 for 330, today 3 for 390'],
  [['+10 100', 'close', '+5 130', '-12', '+1 140'], '4 for 470, today 4 for 530'],
  [['-10 100', 'close', '-5 130', '12'], '-3 for -330, today -3 for -390'],
  [['+10 100', 'close', '-4'], '6 for 600'],
  // Compressed FIFO: on the next day, the sales of a day have consumed the oldest lots first.
  [['+100 10', '+50 12', 'close', '+30 15', 'close', '-120'], '60 for 683.333333333'],
  [['+100 10', '+50 12', 'close', '+30 15', 'close', '-120', 'close'], '60 for 770'],
  // All purchases of a day are one lot, also purchases after a sale.
  [['+100 10', '+50 9', '-50', '+50 11', 'close'], '150 for 1500'],
  [['+100 10', '+50 9', '-50', '+50 11'], '150 for 1516.666666666, today 150 for 1516.666666666'],
  [['+10 100', 'close', '+5 130', '-12', 'close'], '3 for 390'],
  [['+10 100', 'close', '+5 130', '-4', 'close'], '11 for 1250'],
  [['+10 100', 'close', '-4', 'close', '-2', 'close'], '4 for 400'],
  [['+10 100', 'close', '+10 200', 'close', '-5', 'close', '-10', 'close'], '5 for 1000'],
  [['-10 100', 'close', '-10 200', 'close', '15', 'close'], '-5 for -1000'],
  // A closed position leaves no lots.
  [['+10 100', 'close', '+10 200', '-20', '+1 300', 'close'], '1 for 300'],
  // Journaled shares leave with their cost, and the rest is one lot.
  [['+10 100', 'close', '+10 200', 'close', '-10=1500', 'close'], '10 for 1500'],
  [['+10 100', 'close', '+10 200', 'close', '-10=1500', '-5', 'close'], '5 for 750'],
  // The remaining cost is rounded towards zero.
  [['+3 0.333333333', '-1'], '2 for 0.666666666, today 2 for 0.666666666'],
] as const)
  test(`${steps.join('; ')}: ${then}`, () => assert.equal(positionAfterSteps(steps), then))
