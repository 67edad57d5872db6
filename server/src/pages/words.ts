import type { Instant, Money, Scope, UserRole } from '@quipu/core'
import { partsOfDay } from '@quipu/core/values'
import { type Html, html } from './html.ts'

type Description = { readonly may: string; readonly more: string }

/** Rights that every app with consent has. */
export const readingWords: Description = {
  may: 'See the account',
  more: 'Balances, positions, orders and what has happened in it.',
}

/** The description of each scope for the user. */
export const scopeWords: Record<Scope, Description> = {
  'account:write': {
    may: 'Change settings of the account',
    more: 'How it trades, and its watchlists.',
  },
  trading: {
    may: 'Trade with the money and the shares in it',
    more: 'Place, change and cancel orders, and close positions.',
  },
  data: {
    may: 'Receive market data in your name',
    more: 'Prices and quotes, now and of the past.',
  },
  tokenization: {
    may: 'Turn shares into tokens',
    more: 'Shares leave the account for a wallet.',
  },
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)
const SECONDS = 1_000_000_000n

/** `2 November 2026, 15:04 UTC`. */
export function timeElement(at: Instant): Html {
  const seconds = Number(at / SECONDS)
  const { year, month, dayOfMonth } = partsOfDay(Math.floor(seconds / 86_400))
  const minutes = Math.floor((seconds % 86_400) / 60)
  const two = (value: number) => String(value).padStart(2, '0')
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  const iso = `${year}-${two(month)}-${two(dayOfMonth)}T${clock}Z`
  return html`<time datetime="${iso}">${dayOfMonth} ${months[month - 1]} ${year}, ${clock} UTC</time>`
}

const CENT = 10_000_000n

/** `$100,000.00`, rounded down. */
export function dollarText(amount: Money): string {
  const size = amount < 0n ? -amount : amount
  const cents = amount < 0n ? (size + CENT - 1n) / CENT : size / CENT
  const whole = String(cents / 100n).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${amount < 0n ? '−' : ''}$${whole}.${String(cents % 100n).padStart(2, '0')}`
}

/** In minutes if it is at least one. */
export function durationText(seconds: number): string {
  const [count, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The mark of a live account. */
export const liveMark = (words = 'Live'): Html => html`<span class="mark">${words}</span>`

/** A link to a web page; any other URL of an app is shown as text. */
export const externalLink = (url: string, words: string): Html =>
  /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noopener noreferrer external"><bdi>${words}</bdi></a>`
    : html`<bdi>${words}</bdi>`

/** The host of a URL, or the URL if it has none. */
export const hostOf = (url: string): string => URL.parse(url)?.host || url

/** A role over the whole server. */
export type Role = Exclude<UserRole, 'user'>

export const roleWords: Readonly<
  Record<Role, { readonly role: string; readonly rights: string; readonly about: string }>
> = {
  operator: {
    role: 'an operator',
    rights: 'Operator rights',
    about: 'An operator controls every world, account, key and user of this broker.',
  },
  auditor: {
    role: 'an auditor',
    rights: 'Auditor rights',
    about: 'An auditor reads every world, account, key and user of this broker, and changes nothing.',
  },
}
