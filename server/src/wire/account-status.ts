import type { BrokerAccountRecord } from '@quipu/contract'
import type { Account, Review } from '@quipu/core'
import { recordEntries } from '@quipu/core/values'

type Status = BrokerAccountRecord['status']

const statuses: Readonly<Record<Review, Status>> = {
  submitted: 'SUBMITTED',
  actionRequired: 'ACTION_REQUIRED',
  approved: 'APPROVED',
  rejected: 'REJECTED',
}

export function accountStatus({ closedAt, review }: Pick<Account, 'closedAt' | 'review'>): Status {
  if (closedAt !== undefined) return 'ACCOUNT_CLOSED'
  return review ? statuses[review] : 'ACTIVE'
}

/** A tag in the e-mail address of the contact sets the status, so a test can force it: `ana+rejected@example.org`. */
const tag = /\+(submitted|action_required|approved|rejected)@/i

const reviews: Readonly<Record<string, Review>> = Object.fromEntries(
  recordEntries(statuses).map(([review, status]) => [status, review]),
)

/** The review status in the contact's e-mail tag; null without a tag, undefined without an e-mail address. */
export function reviewIn(contact: unknown): Review | null | undefined {
  if (contact === null) return null
  if (typeof contact !== 'object' || !('email_address' in contact)) return undefined
  const { email_address: email } = contact
  const [, status = ''] = (typeof email === 'string' && tag.exec(email)) || []
  return reviews[status.toUpperCase()] ?? null
}
