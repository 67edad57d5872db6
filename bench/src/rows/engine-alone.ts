import { createHash, hash } from 'node:crypto'
import type { Account, OrderId, PlaceOrder } from '@quipu/core'
import { buyOrder, DOLLAR, openBareWorld, startMeasuring } from '../bare-world.ts'
import { alternate, type Figure, type Round, warmUp } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const rowC = rowsWith('c')
/** One order of four fills at once; the other three rest and are canceled. */
const ONE_FILLS_OF = 4

/**
 * (c) The engine of one world without HTTP: decide, apply, encode, hash, into a journal whose disk costs nothing.
 * The limit is the least work for the same commands: SHA-256 of an id and of an event as JSON.
 */
export async function engineAlone({ rounds, calls }: Size): Promise<readonly Row[]> {
  const all = new AllCommands()
  const contenders = [
    { name: 'engine alone', round: () => all.count(round(calls * 5)) },
    { name: 'bare id, JSON and hash', round: async () => bareRound(calls * 5) },
  ]
  await warmUp(contenders)
  const figures = await alternate(contenders, rounds)
  const [engine, bare] = figures as readonly [Figure, Figure]
  const { perCpuSecond, perThreadSecond } = engine
  return [
    rowC('commands per CPU second of its thread', perThreadSecond, '≥ 150,000'),
    rowC(ALL_COMMANDS, perThreadSecond * all.perCommand),
    rowC('commands per CPU second, collection included', perCpuSecond),
    rowC('bare id, JSON and hash per CPU second', bare.perThreadSecond),
    rowC('command / bare', perThreadSecond / bare.perThreadSecond),
  ]
}

function bareRound(calls: number): Round {
  const stopMeasuring = startMeasuring()
  const sum = createHash('sha256')
  for (let n = 0; n < calls; n++) {
    const id = hash('sha256', `bench/account/${n}`, 'hex')
    sum.update(JSON.stringify({ id, at: String(n), symbol: 'F', side: 'buy', quantity: '1', limit: '1' }))
  }
  sum.digest()
  return stopMeasuring(calls)
}

const ALL_COMMANDS = 'all commands decided, internal ones included, per CPU second'

/** A round, and the number of commands that the engine decided in it: commands of clients and internal commands. */
type EngineRound = Round & { readonly decided: number }

/** Counts the commands that engines decided for each command of a client. */
class AllCommands {
  #decided = 0
  #submitted = 0

  async count(round: Promise<EngineRound>): Promise<EngineRound> {
    const { decided, calls } = await round
    this.#decided += decided
    this.#submitted += calls
    return round
  }

  get perCommand(): number {
    return this.#decided / this.#submitted
  }
}

async function round(calls: number): Promise<EngineRound> {
  const { world, accounts } = await openBareWorld({ accounts: 1 })
  const account = accounts[0]!
  const before = world.engine.decided
  const stopMeasuring = startMeasuring()
  let commands = 0
  while (commands < calls) {
    const resting: OrderId[] = []
    const responses: Promise<unknown>[] = []
    for (let n = 0; n < 250; n++) {
      const rests = n % ONE_FILLS_OF !== 0
      responses.push(
        world.commands.submit(order(account, rests), (_, decision) => {
          const event = decision.ok ? decision.value[0] : undefined
          if (rests && event?.kind === 'orderAccepted') resting.push(event.order.id)
        }),
      )
    }
    for (const orderId of resting)
      responses.push(world.commands.submit({ kind: 'cancelOrder', accountId: account.id, orderId }, () => 0))
    await Promise.all(responses)
    commands += responses.length
  }
  const result = { ...stopMeasuring(commands), decided: world.engine.decided - before }
  await world.close()
  return result
}

const order = (account: Account, rests: boolean): PlaceOrder =>
  buyOrder(account, rests ? DOLLAR : 1_000n * DOLLAR)
