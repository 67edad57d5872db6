import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSentence } from '../../web/src/palette/read-sentence.ts'
import { sentenceText, valueSpans } from '../../web/src/palette/sentence.ts'

/** A text, and the same sentence with its defaults. */
const complete: readonly (readonly [text: string, whole: string])[] = [
  ['crash 6% TSLA in 2m', 'crash 6% TSLA in 2m for 10m'],
  ['Crash tsla −6 % in 2 min', 'crash 6% TSLA in 2m for 10m'],
  ['crash 6%', 'crash 6% in 2m for 10m'],
  ['crash 12.5% at 14:30 for 4m', 'crash 12.5% at 14:30 for 4m'],
  ['halt AMD 10m', 'halt AMD 10m in 2m'],
  ['halt amd', 'halt AMD 10m in 2m'],
  ['halt AMD 5 minutes in 30s', 'halt AMD 5m in 30s'],
  ['gap -4% AAPL', 'gap -4% AAPL'],
  ['gap +3%', 'gap 3%'],
  ['next open', 'next open'],
  ['next event', 'next event'],
  ['fork', 'fork'],
  ['fork at 9:45', 'fork at 09:45'],
  ['fork before this order', 'fork before this order'],
  ['fork before this', 'fork before this order'],
  ['fork before dip-aapl-1', 'fork before dip-aapl-1'],
  ['backup', 'backup'],
  ['sell 10 nvda limit 130', 'sell 10 NVDA limit 130'],
  ['sell 40 aapl 220.60', 'sell 40 AAPL limit 220.60'],
  ['buy $500 of spy', 'buy $500 SPY'],
  ['buy 2 BTC/USD', 'buy 2 BTC/USD'],
  ['sell 5 ko stop 60 limit 59.5 gtc', 'sell 5 KO stop 60 limit 59.5 gtc'],
]

for (const [text, whole] of complete)
  test(`the sentence “${text}” is “${whole}”`, () => {
    const read = readSentence(text)
    assert.ok(read?.kind === 'complete', JSON.stringify(read))
    assert.equal(sentenceText(read.sentence), whole)
    assert.deepEqual(readSentence(whole), read)
  })

const incomplete: readonly (readonly [text: string, missing: string])[] = [
  ['crash', 'crash: add how far, such as crash 6% TSLA in 2m'],
  ['crash TSLA', 'crash: add how far, such as crash 6% TSLA in 2m'],
  ['crash 95%', 'crash: expected 1 % to 90 %, received 95 %'],
  ['crash 6% in', 'in: add a time such as in 2m'],
  ['crash 6% at 25:00', 'at: add a time of today such as at 14:30'],
  ['crash 6% TSLA AMD', 'crash: expected per cent, one symbol or a time, received AMD'],
  ['halt', 'halt: add a symbol, such as halt AMD 10m'],
  ['halt AMD 5%', 'halt: expected a symbol and minutes, received per cent'],
  ['gap AAPL', 'gap: add how far, such as gap -4% AAPL'],
  ['gap 4% in 2m', 'gap: expected no time: a gap is at the next open'],
  ['next', 'next: add open, close or event'],
  ['fork before', 'fork before: add the client id of an order, or “this order” on its page'],
  ['fork at noon', 'fork at: add a time of today such as 10:20'],
  ['sell', 'sell: add how many and what, such as sell 10 NVDA limit 130'],
  ['sell 10', 'sell: add a symbol, such as sell 10 NVDA limit 130'],
  ['sell 10 nvda limit', 'sell: add the limit price, such as limit 130'],
  ['sell 10 nvda soon', 'sell: expected limit, stop or gtc, received soon'],
]

for (const [text, missing] of incomplete)
  test(`the sentence “${text}” says what is missing`, () => {
    assert.deepEqual(readSentence(text), { kind: 'incomplete', missing })
  })

for (const text of [
  '',
  'AAPL',
  'buy nvda',
  'backups',
  'backup now',
  'next open interest',
  'forks',
  'Go to Orders',
])
  test(`“${text}” is no sentence`, () => {
    assert.equal(readSentence(text), undefined)
  })

test('Tab goes through the values of a sentence', () => {
  const values = (text: string) => valueSpans(text).map(([from, to]) => text.slice(from, to))
  assert.deepEqual(values('crash 6% TSLA in 2m for 10m'), ['6', 'TSLA', '2', '10'])
  assert.deepEqual(values('sell $500 NVDA limit 130'), ['500', 'NVDA', '130'])
  assert.deepEqual(values('fork before this order'), [])
  assert.deepEqual(values('fork before dip-aapl-1'), ['dip-aapl-1'])
})
