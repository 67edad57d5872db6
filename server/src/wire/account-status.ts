import type { BrokerAccountRecord } from '@quipu/contract'
import type { Account, Review } from '@quipu/core'

type Status = BrokerAccountRecord['status']

const words: Readonly<Record<Review, Status>> = {
  submitted: 'SUBMITTED',
  actionRequired: 'ACTION_REQUIRED',
  approved: 'APPROVED',
  rejected: 'REJECTED',
}

export function accountStatus({ closedAt, review }: Pick<Account, 'closedAt' | 'review'>): Status {
  if (closedAt !== undefined) return 'ACCOUNT_CLOSED'
  return review ? words[review] : 'ACTIVE'
}

/** A tag in the e-mail address of the contact chooses a status to rehearse: `ana+rejected@example.org`. */
const tag = /\+(submitted|action_required|approved|rejected)@/i

const reviews: Readonly<Record<string, Review>> = Object.fromEntries(
  Object.entries(words).map(([review, word]) => [word, review as Review]),
)

/** The status that a contact asks for; null for none, nothing where the contact says nothing about it. */
export function reviewIn(contact: unknown): Review | null | undefined {
  if (contact === null) return null
  if (typeof contact !== 'object' || !('email_address' in contact)) return undefined
  const { email_address: email } = contact
  const [, word = ''] = (typeof email === 'string' && tag.exec(email)) || []
  return reviews[word.toUpperCase()] ?? null
}
