import assert from 'node:assert/strict'
import {
  apply,
  type BrokerEvent,
  type Command,
  decide,
  emptyState,
  type Instant,
  type Moment,
  type Money,
} from '@quipu/core'
import { idMaker } from '../moment.ts'

export const momentAt = (n: number): Moment => ({
  at: (1_700_000_000_000_000_000n + BigInt(n)) as Instant,
  prices: { quote: () => undefined, trade: () => undefined },
  asset: () => undefined,
  id: idMaker('s'),
})

const settings = {
  seed: 's',
  hours: 'always',
  fillSize: 'unlimited',
  latencyNs: 0n,
  startingCash: 1n as Money,
} as const

/** A world with two funded accounts. */
export function fundedWorld() {
  const state = emptyState()
  const events: BrokerEvent[] = []
  const submit = (command: Command): void => {
    const decision = decide(state, momentAt(events.length), command)
    assert(decision.ok, command.kind)
    for (const event of decision.value) {
      apply(state, event)
      events.push(event)
    }
  }
  submit({ kind: 'openWorld', settings })
  submit({ kind: 'addPartner', name: 'p' })
  const [partnerId] = state.partners.keys()
  for (const cash of [1_000n, 2_000n] as Money[])
    submit({ kind: 'openAccount', flavour: 'paper', partnerId: partnerId!, cash })
  return { events, ledger: state.ledger }
}
