import { closeDay, settleAccount } from './account/day.ts'
import {
  addPartner,
  addPerson,
  issueKey,
  type OpenRefusal,
  openAccount,
  openWorld,
  revokeKey,
} from './account/open.ts'
import type { Command } from './commands.ts'
import type { BrokerEvent } from './events.ts'
import type { Moment } from './moment.ts'
import { type CancelRefusal, cancelOrder, expireOrder } from './orders/cancel.ts'
import { observeQuote } from './orders/match.ts'
import { type PlaceRefusal, placeOrder } from './orders/place.ts'
import { workOrder } from './orders/work.ts'
import { type Result, unreachable } from './result.ts'
import type { View } from './state.ts'

/** Why not: a name of the error catalogue with the numbers its message wants. */
export type Refusal = OpenRefusal | PlaceRefusal | CancelRefusal
export type Decision = Result<readonly BrokerEvent[], Refusal>

/** What a command leads to. Looks, and changes nothing. */
export function decide(view: View, moment: Moment, command: Command): Decision {
  switch (command.kind) {
    case 'openWorld':
      return openWorld(view, moment, command)
    case 'addPerson':
      return addPerson(view, moment, command)
    case 'addPartner':
      return addPartner(view, moment, command)
    case 'openAccount':
      return openAccount(view, moment, command)
    case 'issueKey':
      return issueKey(view, moment, command)
    case 'revokeKey':
      return revokeKey(view, moment, command)
    case 'placeOrder':
      return placeOrder(view, moment, command)
    case 'cancelOrder':
      return cancelOrder(view, moment, command)
    case 'workOrder':
      return workOrder(view, moment, command)
    case 'observeQuote':
      return observeQuote(view, moment, command)
    case 'expireOrder':
      return expireOrder(view, moment, command)
    case 'closeDay':
      return closeDay(view, moment, command)
    case 'settleAccount':
      return settleAccount(view, moment, command)
    default:
      return unreachable(command)
  }
}
