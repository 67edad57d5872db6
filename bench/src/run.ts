import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { engineAlone } from './engine-alone.ts'
import { httpOrders } from './http-orders.ts'
import type { Figure } from './rounds.ts'

/** `npm run bench`: ratios measured side by side in one run. `-- --rounds 9 --calls 20000` for a longer one. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '8000' },
    json: { type: 'boolean', default: false },
  },
})
const size = { rounds: Number(values.rounds), calls: Number(values.calls) }
if (!(size.rounds >= 1 && size.calls >= 100)) {
  console.error('expected --rounds of at least 1 and --calls of at least 100')
  process.exit(2)
}

const figures = new Map<string, Figure>()
for (const figure of [
  ...(await httpOrders(size)),
  ...(await engineAlone({ ...size, calls: size.calls * 5 })),
])
  figures.set(figure.name, figure)

const of = (name: string): Figure => figures.get(name)!
const durable = of('durable orders')
const rows = [
  [
    '(a) durable order / bare echo, by CPU of the process',
    durable.perCpuSecond / of('bare node:http echo').perCpuSecond,
  ],
  [
    '(b) durable orders at 64 connections / one commit each, by the clock',
    durable.perSecond / of('one commit per order').perSecond,
  ],
  ['(b) the same by CPU', durable.perCpuSecond / of('one commit per order').perCpuSecond],
  ['(c) engine alone, commands per CPU second', of('engine alone').perCpuSecond],
] as const

if (values.json)
  console.log(
    JSON.stringify({
      node: process.version,
      cores: availableParallelism(),
      size,
      figures: [...figures.values()],
      rows,
    }),
  )
else {
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, ${size.rounds} rounds of ${size.calls} calls`,
  )
  for (const [name, { perCpuSecond, perSecond }] of figures)
    console.log(
      `  ${name.padEnd(22)} ${perCpuSecond.toFixed(0).padStart(8)} per CPU second ${perSecond.toFixed(0).padStart(8)} per second`,
    )
  for (const [name, value] of rows)
    console.log(`${name.padEnd(70)} ${value < 100 ? value.toFixed(2) : value.toFixed(0)}`)
}
