import assert from 'node:assert/strict'
import type { BrokerEvent, Command, Decision, View } from '@quipu/core'
import { NotApplied } from '../../../broker/src/journal/not-applied.ts'
import { eventOf, storedEntry } from '../../../broker/src/journal/stored-event.ts'
import { Engine } from '../../../broker/src/world/engine.ts'
import type { Once } from '../../../broker/src/world/once.ts'
import type { Submitted } from '../../../broker/src/world/submitted.ts'

/**
 * The commands that caused events, by the number of their first event. After a crash that lost events, or with two
 * engines at once, a number has several commands, distinguished by their event.
 */
export type Recorded = Map<number, Map<string, Command>>

/** The command that caused an event of the journal. */
export const commandOf = (recorded: Recorded, seq: number, event: BrokerEvent): Command | undefined =>
  recorded.get(seq)?.get(bytesOf(event))

const bytesOf = (event: BrokerEvent): string => storedEntry(event).open.toString('hex')

let recorded: Recorded | undefined
let generation = 0
const generationOf = new WeakMap<Engine, number>()

/** Starts to record the commands of every engine, including internal commands. */
export function recordInto(commands: Recorded | undefined): void {
  recorded = commands
}

/** The process ended: its engines accept no more commands. */
export function stopEngines(): void {
  generation += 1
}

const { decide, submit } = Engine.prototype

Engine.prototype.submit = function <Value>(
  this: Engine,
  command: Command,
  look: (view: View, decision: Decision) => Value,
  _cause?: unknown,
  once?: Once<Value>,
): Submitted<Value> {
  if (isStopped(this)) return { events: [], response: new Promise(() => undefined) }
  return submit.call(this, command, look as never, undefined, once as never) as Submitted<Value>
}

Engine.prototype.decide = function (this: Engine, command: Command): Decision {
  if (isStopped(this)) throw new NotApplied('worldRestarting')
  const next = this.view.seq + 1
  const decision = decide.call(this, command)
  record(next, command, decision)
  return decision
}

function record(next: number, command: Command, decision: Decision): void {
  const events = decision.ok ? decision.value : []
  for (const event of events)
    assert.deepEqual(eventOf(storedEntry(event)), event, 'an event is stored exactly')
  const [first] = events
  if (!first || !recorded) return
  const same = recorded.get(next) ?? new Map<string, Command>()
  recorded.set(next, same.set(bytesOf(first), command))
}

function isStopped(engine: Engine): boolean {
  const started = generationOf.get(engine)
  if (started === undefined) generationOf.set(engine, generation)
  return started !== undefined && started !== generation
}
