import type { BlockKind } from '../account/account.ts'
import type { NewPosition, OpenAccount } from '../account/commands.ts'
import type { PartnerCommand } from '../account/partner/commands.ts'
import { type Money, parseDecimal, type Quantity } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'

type Telling = { readonly accounts: ReadonlyMap<string, AccountId> }
type Line = (telling: Telling, words: readonly string[]) => PartnerCommand

/** What partners do with accounts, as lines of a story. */
export const partnerLines: Readonly<Record<string, Line>> = {
  deposit: (telling, words) => transfer(telling, words, 'in'),
  withdraw: (telling, words) => transfer(telling, words, 'out'),
  jnlc: ({ accounts }, [from = '', to = '', cash = '']) => ({
    kind: 'journalBetween',
    from: named(accounts, from),
    to: named(accounts, to),
    what: { kind: 'cash', amount: amount(cash) as Money },
  }),
  jnls: ({ accounts }, [from = '', to = '', symbol = '', size = '']) => ({
    kind: 'journalBetween',
    from: named(accounts, from),
    to: named(accounts, to),
    what: { kind: 'shares', symbol: symbol as Ticker, quantity: amount(size) as Quantity },
  }),
  reset: ({ accounts }, [account = '', cash = '0', ...rest]) => ({
    kind: 'resetAccount',
    accountId: named(accounts, account),
    cash: amount(cash) as Money,
    positions: positionsIn(rest),
  }),
  block: ({ accounts }, [account = '', ...blocks]) => ({
    kind: 'blockAccount',
    accountId: named(accounts, account),
    blocks: blocks as BlockKind[],
  }),
  unblock: ({ accounts }, [account = '', ...blocks]) => ({
    kind: 'unblockAccount',
    accountId: named(accounts, account),
    blocks: blocks as BlockKind[],
  }),
  close: ({ accounts }, [account = '', how]) => ({
    kind: 'closeAccount',
    accountId: named(accounts, account),
    empty: how === 'empty',
  }),
}

/** What an account begins with beside its cash: `AAPL:10:1000` is ten that cost a thousand; `id=x` is its name. */
export function heldFrom(words: readonly string[]): Pick<OpenAccount, 'positions' | 'client'> {
  const id = words.find((word) => word.startsWith('id='))?.slice(3)
  const positions = positionsIn(words.filter((word) => !word.startsWith('id=')))
  return {
    ...(positions.length === 0 ? {} : { positions }),
    ...(id === undefined ? {} : { client: { id, bodyHash: words.join(' ') } }),
  }
}

const positionsIn = (words: readonly string[]): readonly NewPosition[] =>
  words.map((word) => {
    const [symbol = '', size = '', cost] = word.split(':')
    return {
      symbol: symbol as Ticker,
      quantity: amount(size) as Quantity,
      ...(cost === undefined ? {} : { costBasis: amount(cost) as Money }),
    }
  })

function transfer(
  { accounts }: Telling,
  [account = '', cash = '']: readonly string[],
  direction: 'in' | 'out',
): PartnerCommand {
  return {
    kind: 'transferMoney',
    accountId: named(accounts, account),
    direction,
    means: 'ach',
    amount: amount(cash) as Money,
  }
}

/** A name that was never given is nobody's id. */
const named = (names: ReadonlyMap<string, AccountId>, name: string): AccountId =>
  names.get(name) ?? (name as AccountId)

function amount(text: string): bigint {
  const read = parseDecimal(text)
  if (!read.ok) throw new Error(`no amount: ${text}`)
  return read.value
}
