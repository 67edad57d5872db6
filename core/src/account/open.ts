import type { CivilDate } from '../civil-date.ts'
import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { PartnerId } from '../ids.ts'
import { previousSession, session } from '../market/calendar.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { freeNumber } from '../state/world-id.ts'
import { type Instant, newYork } from '../time.ts'
import type { Account } from './account.ts'
import type { OpenAccount } from './commands.ts'
import type { AccountOpened } from './events.ts'
import { checkDetails, type DetailsRefusal } from './partner/details.ts'
import {
  postingTo,
  type StartingHoldings,
  type StartingPositionRefusal,
  startingHoldings,
} from './partner/starting-positions.ts'

export type OpenRefusal =
  | { readonly code: 'worldAlreadyOpen' }
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'partnerNotFound' }
  | { readonly code: 'userNotFound' }
  | { readonly code: 'accountIdReused' }
  | { readonly code: 'keyNotFound'; readonly keyId: string }
  | { readonly code: 'lastOperatorKey' }
  | { readonly code: 'keyTaken'; readonly keyId: string }

export const openDeciders = {
  openWorld(view, { at }, { settings }) {
    if (view.settings) return fail({ code: 'worldAlreadyOpen' })
    return ok([{ kind: 'worldOpened', at, settings }])
  },

  addPartner(view, moment, { name }) {
    const partnerId = moment.id('world', view.seq, freeNumber(view, moment))
    return ok([{ kind: 'partnerAdded', at: moment.at, partnerId, name }])
  },

  /** A repeated call produces no event; `earlierAccount` returns the existing account. */
  openAccount(view, moment, command) {
    const { userId, partnerId, client, positions = [] } = command
    if (!view.partners.has(partnerId)) return fail({ code: 'partnerNotFound' })
    const earlier = earlierAccount(view, command)
    if (earlier)
      return earlier.client?.bodyHash === client?.bodyHash ? ok([]) : fail({ code: 'accountIdReused' })
    if (userId !== undefined && !view.users.has(userId)) return fail({ code: 'userNotFound' })
    const details = checkDetails(command.details)
    if (!details.ok) return details
    const holdings = startingHoldings(moment, command.cash, positions)
    if (!holdings.ok) return holdings
    return ok([accountOpened(view, moment, command, holdings.value)])
  },
} satisfies Deciders<OpenRefusal | StartingPositionRefusal | DetailsRefusal>

/** The account that the partner opened earlier under the same client id. */
export function earlierAccount(view: View, { partnerId, client }: OpenAccount): Account | undefined {
  const id = client && view.accountNames.get(accountNameCheck(partnerId, client.id))
  return id && found(view.accounts.get(id), id)
}

export const accountNameCheck = (partnerId: PartnerId, clientId: string): string => `${partnerId}/${clientId}`

function accountOpened(
  view: View,
  moment: Moment,
  { flavour, userId, partnerId, client, details, review }: OpenAccount,
  holdings: StartingHoldings,
): AccountOpened {
  const { at, id } = moment
  const free = freeNumber(view, moment)
  const accountId = id('world', view.seq, free)
  const { cash, positions, equity } = holdings
  const starting = positions.length > 0 ? { positions, equity } : {}
  return {
    kind: 'accountOpened',
    at,
    accountId,
    number: `${flavour === 'paper' ? 'PA' : 'LA'}${shortCode(id('world', view.seq, free + 1), 10)}`,
    flavour,
    ...definedFields({ userId }),
    partnerId,
    cash,
    date: lastClosed(at),
    ...starting,
    ...definedFields({ client, details, review }),
    posting: postingTo(view, accountId, holdings),
  }
}

/** The last session that has closed: the date of a new account's "last" values. */
export function lastClosed(at: Instant): CivilDate {
  const { date } = newYork(at)
  const today = session(date)
  return today && today.close <= at ? date : (previousSession(date)?.date ?? date)
}

/** Upper-case letters and digits of a UUID, without dashes. */
const shortCode = (uuid: string, length: number): string =>
  uuid.replaceAll('-', '').slice(0, length).toUpperCase()
