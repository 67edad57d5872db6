import type { Command, Decision, View } from '@quipu/core'
import { entryOf } from '../../../server/src/journal/stored-event.ts'
import { NotApplied } from '../../../server/src/process/not-applied.ts'
import { type Answer, Engine } from '../../../server/src/world/engine.ts'

/**
 * The commands that caused events, by the number of their first event. After a crash that lost events, or with two
 * engines at once, a number has several commands, distinguished by their event.
 */
export type Recorded = Map<number, Map<string, Command>>

/** The command that caused an event of the journal. */
export const commandOf = (recorded: Recorded, seq: number, open: string): Command | undefined =>
  recorded.get(seq)?.get(open)

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

const { submit, submitInternal } = Engine.prototype

Engine.prototype.submit = async function <Value>(
  this: Engine,
  command: Command,
  read: (view: View, decision: Decision) => Value,
): Promise<Answer<Value>> {
  if (isStopped(this)) return new Promise(() => undefined)
  const next = this.view.seq + 1
  const recordAndRead = (view: View, decision: Decision): Value => {
    record(next, command, decision)
    return read(view, decision)
  }
  return submit.call<Engine, [Command, typeof recordAndRead], Promise<Answer<Value>>>(
    this,
    command,
    recordAndRead,
  )
}

Engine.prototype.submitInternal = function (this: Engine, command: Command): Decision {
  if (isStopped(this)) throw new NotApplied('worldRestarting')
  const next = this.view.seq + 1
  const decision = submitInternal.call(this, command)
  record(next, command, decision)
  return decision
}

function record(next: number, command: Command, decision: Decision): void {
  const [first] = decision.ok ? decision.value : []
  if (!first || !recorded) return
  const same = recorded.get(next) ?? new Map<string, Command>()
  recorded.set(next, same.set(entryOf(first).open, command))
}

function isStopped(engine: Engine): boolean {
  const started = generationOf.get(engine)
  if (started === undefined) generationOf.set(engine, generation)
  return started !== undefined && started !== generation
}
