import type { Command, Decision, View } from '@quipu/core'
import { entryOf } from '../../../server/src/journal/stored-event.ts'
import { NotApplied } from '../../../server/src/process/not-applied.ts'
import { type Answer, Engine } from '../../../server/src/world/engine.ts'

/**
 * The commands that led to events, by the number of the first. Where a crash took events back, or two engines meant
 * the same number, there are several, told apart by what they led to.
 */
export type Recorded = Map<number, Map<string, Command>>

/** The command that led to an event of the journal. */
export const commandOf = (recorded: Recorded, seq: number, open: string): Command | undefined =>
  recorded.get(seq)?.get(open)

let recorded: Recorded | undefined
let generation = 0
const bornIn = new WeakMap<Engine, number>()

/** From now on every engine's commands are noted here, those of the clockwork too. */
export function recordInto(commands: Recorded | undefined): void {
  recorded = commands
}

/** The process is over: what is left of its engines does nothing any more. */
export function buryEngines(): void {
  generation += 1
}

const { submit, submitInternal: drive } = Engine.prototype

Engine.prototype.submit = async function <Value>(
  this: Engine,
  command: Command,
  look: (view: View, decision: Decision) => Value,
): Promise<Answer<Value>> {
  if (isBuried(this)) return new Promise(() => undefined)
  const next = this.view.seq + 1
  const noting = (view: View, decision: Decision): Value => {
    note(next, command, decision)
    return look(view, decision)
  }
  return submit.call<Engine, [Command, typeof noting], Promise<Answer<Value>>>(this, command, noting)
}

Engine.prototype.submitInternal = function (this: Engine, command: Command): Decision {
  if (isBuried(this)) throw new NotApplied('worldRestarting')
  const next = this.view.seq + 1
  const decision = drive.call(this, command)
  note(next, command, decision)
  return decision
}

function note(next: number, command: Command, decision: Decision): void {
  const [first] = decision.ok ? decision.value : []
  if (!first || !recorded) return
  const same = recorded.get(next) ?? new Map<string, Command>()
  recorded.set(next, same.set(entryOf(first).open, command))
}

function isBuried(engine: Engine): boolean {
  const born = bornIn.get(engine)
  if (born === undefined) bornIn.set(engine, generation)
  return born !== undefined && born !== generation
}
