import { definedFields } from '../../defined-fields.ts'
import type { Decider } from '../../handlers.ts'
import { fail, ok, type Result } from '../../result.ts'
import { type AccountAccessRefusal, openAccountOf } from '../account-check.ts'

/** Maximum length of a partner's account details, in characters of JSON. */
export const DETAILS_MAX = 16_384

export type DetailsRefusal = { readonly code: 'accountDetailsTooLarge'; readonly limit: number }

export function checkDetails(details: string | undefined): Result<string | undefined, DetailsRefusal> {
  return details !== undefined && details.length > DETAILS_MAX
    ? fail({ code: 'accountDetailsTooLarge', limit: DETAILS_MAX })
    : ok(details)
}

export const updateAccount: Decider<'updateAccount', AccountAccessRefusal | DetailsRefusal> = (
  view,
  { at },
  { accountId, partnerId, patch, review },
) => {
  const account = openAccountOf(view, accountId, partnerId)
  if (!account.ok) return account
  const { details: before = '{}' } = account.value
  const details = JSON.stringify(mergeDetails(detailsRecord(before), detailsRecord(patch)))
  const checked = checkDetails(details)
  if (!checked.ok) return checked
  const isSame = review === undefined || (review ?? undefined) === account.value.review
  if (details === before && isSame) return ok([])
  const changed = definedFields({ review: isSame ? undefined : review })
  return ok([{ kind: 'accountUpdated', at, accountId, details, ...changed }])
}

export const detailsRecord = (details: string): Details => JSON.parse(details) as Details
export type Details = { readonly [field: string]: unknown }

/** Merges one level deep, so that fields of a contact or identity can be updated individually. */
function mergeDetails(before: Details, patch: Details): Details {
  const after = new Map(Object.entries(before))
  for (const [field, value] of Object.entries(patch)) {
    const stored = after.get(field)
    if (value === null) after.delete(field)
    else after.set(field, isRecord(stored) && isRecord(value) ? { ...stored, ...value } : value)
  }
  return Object.fromEntries(after)
}

const isRecord = (value: unknown): value is Details =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
