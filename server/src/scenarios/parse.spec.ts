import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scenarioSchema } from '@quipu/contract'
import { parseScenario, ScenarioInvalid } from './parse.ts'

const head = 'name: a\nabout: b\n'

function problemsOf(text: string): readonly string[] {
  try {
    parseScenario(text, 'a.yml')
    return []
  } catch (error) {
    assert(error instanceof ScenarioInvalid, String(error))
    return error.message.split('\n')
  }
}

for (const [text, ...expected] of [
  [`${head}world: {}`],
  [`${head}world: {}\nsteps:\n  - after: 1m\n`],
  ['name: [', 'a.yml:1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['name: A\nabout: b\nworld: {}', 'a.yml:1: name: expected a name of a-z, 0-9 and -, received "A"'],
  [head, 'a.yml:1: world: expected a record, received nothing'],
  [
    `${head}world:\n  hours: nyse\n  seeds: 1\n`,
    /^a\.yml:5: world\.seeds: unknown field; expected one of seed, market_seed, /,
  ],
  [
    `${head}world:\n  market_events:\n    - kind: crash\n      at: 2026-01-05T15:00:00Z\n`,
    'a.yml:5: world.market_events[0].depth: required for kind crash',
  ],
  [
    `${head}world: {}\nsteps:\n  - after: 1m\n    place: { symbol: AAPL, side: hold, qty: 1, type: market }\n`,
    'a.yml:6: steps[0].place.side: invalid side',
  ],
  [
    `${head}world: {}\nsteps:\n  - after: 1m\n    at: 2026-01-05T15:00:00Z\n`,
    'a.yml:5: steps[0].after: give at most one of at, after and until',
  ],
  [
    `${head}world: {}\nsteps:\n  - cancel: a\n    deposit: 5\n`,
    'a.yml:6: steps[0].deposit: give one action per step, not cancel and deposit',
  ],
  [
    `${head}world:\n  venue:\n    latency: { min: 5s, max: 1s }\n`,
    'a.yml:5: world.venue.latency.min: expected at most max',
  ],
  [
    `${head}world: {}\nfaults:\n  - { match: { operatoin: x }, effect: { kind: answer_lost } }\n`,
    /^a\.yml:5: faults\[0\]\.match\.operatoin: unknown field; expected operation, account, /,
  ],
  [
    `${head}world: {}\nsteps:\n  - fault: { match: { account: y }, effect: { kind: answer_lost } }\n`,
    'a.yml:5: steps[0].fault.match.account: expected one of trader, received "y"',
  ],
  [`${head}world: {}\nsteps:\n  - note: x\n`, 'a.yml:5: steps[0].place: expected a time or an action'],
  [
    `${head}world: {}\nsteps:\n  - cancel: entry\n`,
    'a.yml:5: steps[0].cancel: no earlier step uses the id "entry"',
  ],
  [
    `${head}world: {}\naccounts: [x]\nexpect:\n  accounts:\n    y: { cash: 1 }\n`,
    'a.yml:7: expect.accounts.y: expected one of x, received "y"',
  ],
  [
    `${head}world: {}\nexpect:\n  accounts:\n    trader: { cash: many }\n`,
    'a.yml:6: expect.accounts.trader.cash: expected a number, or a record with min and max, received "many"',
  ],
  [
    `${head}world:\n  prices:\n    RIVN:\n      - { at: 2026-01-05T15:00:30Z, price: 1 }\n`,
    'a.yml:6: world.prices.RIVN: prices: expected at least one point, each at a whole minute and later than the one before',
  ],
] as readonly (readonly [string, ...(string | RegExp)[]])[])
  test(`${JSON.stringify(text.slice(head.length))} has ${expected.length} problems`, () => {
    const problems = problemsOf(text)
    assert.equal(problems.length, expected.length, problems.join('\n'))
    for (const [index, one] of expected.entries())
      if (typeof one === 'string') assert.equal(problems[index], one)
      else assert.match(problems[index]!, one)
  })

test('aliases cannot grow a small file to a huge scenario', () => {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x]'
      : `a${level}: &a${level} [${'*a'.concat(`${level - 1}, `).repeat(8)}]`,
  )
  assert.match(problemsOf(levels.join('\n')).join(), /alias/i)
})

test('the schema refuses unknown fields and references only what it defines', () => {
  const text = JSON.stringify(scenarioSchema())
  const { $defs, additionalProperties, required } = scenarioSchema() as Record<
    string,
    Record<string, unknown>
  >
  assert.deepEqual([additionalProperties, required], [false, ['name', 'about', 'world']])
  for (const [, name] of text.matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) assert(name! in $defs!, name)
})
