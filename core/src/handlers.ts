import type { Command } from './commands.ts'
import type { BrokerEvent } from './events.ts'
import type { OfKind } from './kinds.ts'
import type { Moment } from './moment.ts'
import type { Result } from './result.ts'
import type { State, View } from './state/state.ts'

/** Returns the events of a command of one kind, or a refusal, without changing the state. */
export type Decider<Kind, Refusal = never> = (
  view: View,
  moment: Moment,
  command: OfKind<Command, Kind>,
) => Result<readonly BrokerEvent[], Refusal>

/** Deciders of some kinds of commands. */
export type Deciders<Refusal = never> = { readonly [Kind in Command['kind']]?: Decider<Kind, Refusal> }

/** Writes an event of one kind into the state. */
export type Applier<Kind> = (state: State, event: OfKind<BrokerEvent, Kind>) => unknown

/** Appliers of some kinds of events. */
export type Appliers = { readonly [Kind in BrokerEvent['kind']]?: Applier<Kind> }
