import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { Row, Size } from './row.ts'
import { acknowledgement } from './rows/acknowledgement.ts'
import { underAttack } from './rows/attacks.ts'
import { clusterFailover } from './rows/cluster/failover.ts'
import { clusterOrders } from './rows/cluster/orders.ts'
import { smallWorlds } from './rows/cluster/small-worlds.ts'
import { durableWorlds } from './rows/durable-worlds.ts'
import { besideEachReader } from './rows/each-reader.ts'
import { engineAlone } from './rows/engine-alone.ts'
import { fanOut } from './rows/fan-out.ts'
import { history } from './rows/history.ts'
import { httpOrders } from './rows/http-orders.ts'
import { importing } from './rows/import.ts'
import { memory } from './rows/memory.ts'
import { pages } from './rows/pages.ts'
import { postgres } from './rows/postgres.ts'
import { queryTablesWriter } from './rows/query-tables-writer.ts'
import { replays } from './rows/replay.ts'
import { restoring } from './rows/restore.ts'
import { starting } from './rows/starting.ts'
import { manyWorlds } from './rows/worlds.ts'

/** The measurement behind each row; rows in one entry share their rounds. */
const measures: readonly (readonly [string, (size: Size) => Promise<readonly Row[]>])[] = [
  ['a', httpOrders],
  ['c', engineAlone],
  ['d', acknowledgement],
  ['e', memory],
  ['f', starting],
  ['g', history],
  ['h', postgres],
  ['h', durableWorlds],
  ['j', manyWorlds],
  ['k', importing],
  ['l', pages],
  ['m', fanOut],
  ['w', queryTablesWriter],
  ['x', besideEachReader],
  ['y z', replays],
  ['attacks', underAttack],
  ['restore', restoring],
  ['cluster', clusterOrders],
  ['failover', clusterFailover],
  ['small', smallWorlds],
]

const usage = `npm run bench: measure the product and compare each row with the limit of this machine

  --only a,c         Measure only these rows; their names are below (default: all)
  --rounds 5         Rounds per contender (default 5)
  --calls 8000       Requests per round (default 8000)
  --orders 20000     Stored orders, for rows that need a large store (default 20000; the goals assume 1000000)
  --beside journal   Row x: only readers whose name has this text (default: all)
  --json             Print JSON

Rows:
  a        orders over HTTP, against an echo
  c        the engine alone
  d        slowest acknowledgements at half load
  e        memory of open orders
  f        start to first order
  g        lists and acknowledgements with many stored orders
  h        orders on PostgreSQL; memory and connections of durable worlds
  j        10,000 worlds, a fork, and main beside 200 busy worlds
  k, l     import of bars; pages of bars
  m        bars to 1,000 sockets
  w        the thread that writes the query tables
  x        orders beside heavy readers
  y, z     a year of one-minute bars and of daily steps in lock-step
  attacks  the median order beside sign-ins, large bodies and event streams of others
  restore  backup, restore and rebuild by size: a fifth of --orders, --orders, and five times --orders
  cluster  orders at the node of their world and at another; two worlds on two nodes
  failover a move of a world with --orders, its killed node, a node without its database
  small    orders in 16 durable worlds against one

Example: npm run bench -- --only c --rounds 3 --calls 6000`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: measures.map(([names]) => names.replaceAll(' ', ',')).join() },
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '8000' },
    orders: { type: 'string', default: '20000' },
    beside: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const size: Size = {
  rounds: Number(values.rounds),
  calls: Number(values.calls),
  orders: Number(values.orders),
  beside: values.beside,
}
const only = values.only.split(',')
if (!(size.rounds >= 1 && size.calls >= 100 && size.orders >= 1000)) {
  console.error('expected --rounds of at least 1, --calls of at least 100 and --orders of at least 1000')
  process.exit(2)
}

const rows: Row[] = []
for (const [names, measure] of measures)
  if (names.split(' ').some((name) => only.includes(name))) {
    process.stderr.write(`\r  (${names})`.padEnd(60))
    rows.push(...(await measure(size)).filter(({ row }) => only.includes(row)))
  }
process.stderr.write(`\r${' '.repeat(60)}\r`)

const machine = { node: process.version, cores: availableParallelism(), load: loadavg()[0]! }
if (values.json) console.log(JSON.stringify({ machine, size, rows }))
else print()

function print(): void {
  const { rounds, calls, orders, beside } = size
  const readers = beside && ` --beside ${beside}`
  const { node, cores } = machine
  console.log(`Node ${node}, ${cores} cores, load ${machine.load.toFixed(1)}\n`)
  console.log('| row | figure | measured | goal | command |\n|---|---|---:|---|---|')
  for (const { row, name, value, goal } of rows) {
    const command = `npm run bench -- --only ${row} --rounds ${rounds} --calls ${calls} --orders ${orders}${readers}`
    console.log(`| (${row}) | ${name} | ${formatted(value)} | ${goal} | \`${command}\` |`)
  }
}

function formatted(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2)
}
