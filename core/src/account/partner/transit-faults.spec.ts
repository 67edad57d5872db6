import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { auditFaults } from '../../audit.ts'
import type { Job } from '../../jobs/job.ts'
import { transitOf } from '../../ledger/chart.ts'
import { forget } from '../../state/forget.ts'
import type { BookTransferRequest } from './commands.ts'
import type { BookTransferResponse } from './movements.ts'
import { isCustomer, isTransit, pair, requestOf, type Side } from './testing/two-worlds.ts'

type Step = readonly [kind: 'send' | 'ask' | 'receive' | 'answer' | 'crash' | 'forget' | 'block', n: number]
const steps = fc.array(
  fc.tuple(
    fc.constantFrom('send', 'send', 'ask', 'ask', 'receive', 'receive', 'answer', 'crash', 'forget', 'block'),
    fc.nat(1000),
  ) as fc.Arbitrary<Step>,
  { minLength: 20, maxLength: 60, size: 'max' },
)

/** Two worlds and the messages between them, which may be lost, late or repeated. */
class Network {
  readonly sides = pair(['trade TSLA 60'])
  readonly #requests: { readonly from: Side; readonly request: BookTransferRequest; readonly job: Job }[] = []
  readonly #responses: { readonly to: Side; readonly job: Job; readonly response: BookTransferResponse }[] =
    []

  run([kind, n]: Step): void {
    const { a, b } = this.sides
    const [side, other] = n % 2 ? [a, b] : [b, a]
    switch (kind) {
      case 'send': {
        const terms = ['17.31', 'AAPL 1.5', '250', 'AAPL 3', 'TSLA 0.333333333'][n % 5]!
        side.send(other, n % 3 ? 'A' : 'C', ['A', 'B', 'B', 'X'][n % 4]!, terms)
        return
      }
      case 'ask': {
        const job = side.pending[n % (side.pending.length || 1)]
        if (job) this.#requests.push({ from: side, request: requestOf(job, side), job })
        return
      }
      case 'receive': {
        const sent = this.#requests[n % (this.#requests.length || 1)]
        if (!sent) return
        const response = (sent.from === a ? b : a).receive(sent.request)
        this.#responses.push({ to: sent.from, job: sent.job, response })
        return
      }
      case 'answer': {
        const sent = this.#responses[n % (this.#responses.length || 1)]
        if (sent) this.#answer(sent.to, sent.job, sent.response)
        return
      }
      case 'crash':
        return side.crash()
      case 'forget':
        return forget(side.world.state, side.world.state.seq)
      case 'block':
        side.world.run(`${n % 3 ? 'unblock' : 'block'} B transfers`)
    }
  }

  /** Every pending book transfer is asked and answered. */
  settle(): void {
    const { a, b } = this.sides
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const)
      for (const job of from.pending) this.#answer(from, job, to.receive(requestOf(job, from)))
  }

  /** Money or shares of both worlds, with those of pending book transfers that the other world has not received. */
  total(asset: string): bigint {
    const { a, b } = this.sides
    const pending = [a, b].flatMap((side) => side.pending.map((job) => ({ job, other: side === a ? b : a })))
    const underWay = pending.filter(({ job, other }) => !isReceived(other, job))
    const moved = underWay.map(({ job: { bookTransfer } }) => {
      const { what } = bookTransfer!
      if (asset === 'cost') return what.kind === 'shares' ? what.cost : 0n
      if (what.kind === 'cash') return asset === 'USD' ? what.amount : 0n
      return asset === what.symbol ? what.quantity : 0n
    })
    const held = asset === 'cost' ? [a.cost, b.cost] : [a.sum(asset, isCustomer), b.sum(asset, isCustomer)]
    return [...held, ...moved].reduce((sum, amount) => sum + amount, 0n)
  }

  #answer(side: Side, { bookTransfer }: Job, response: BookTransferResponse): void {
    side.world.submit({ kind: 'answerBookTransfer', bookTransferId: bookTransfer!.id, response })
  }
}

const isReceived = ({ world }: Side, { bookTransfer }: Job): boolean =>
  world.events.some(
    (event) =>
      event.kind === 'bookTransferReceived' && event.bookTransfer.transitId === bookTransfer!.transitId,
  )

const ASSETS = ['USD', 'AAPL', 'TSLA', 'cost'] as const

test('lost, late and repeated messages and crashes: no money, share or cost is created or lost', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(steps, (all) => {
      const network = new Network()
      const { a, b } = network.sides
      const before = ASSETS.map((asset) => network.total(asset))
      for (const step of all) {
        network.run(step)
        assert.deepEqual(
          ASSETS.map((asset) => network.total(asset)),
          before,
          step.join(' '),
        )
        assert.deepEqual([...auditFaults(a.world.state), ...auditFaults(b.world.state)], [])
      }
      network.settle()
      for (const asset of ASSETS) assert.equal(a.sum(asset, isTransit) + b.sum(asset, isTransit), 0n)
      for (const { world } of [a, b]) {
        assert.deepEqual(
          [...world.state.ledger.keys()].filter(transitOf),
          [],
          'only pending book transfers use memory',
        )
        for (const { kind } of world.events) kinds.add(kind)
      }
      assert.deepEqual(
        ASSETS.map((asset) => network.total(asset)),
        before,
      )
    }),
    { numRuns: 100 },
  )
  for (const kind of [
    'bookTransferReceived',
    'bookTransferRefused',
    'bookTransferSettled',
    'bookTransferReturned',
  ])
    assert.ok(kinds.has(kind), kind)
})
