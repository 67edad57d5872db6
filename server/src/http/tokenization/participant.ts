import type { AccountId, ParticipantName } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'

type ParticipantFields = {
  readonly client_account_id?: string | undefined
  readonly client_external_account_id?: string | undefined
  readonly client_id?: string | undefined
}

/** The participant in a request of an issuer; undefined if it names none. Two names are refused. */
export function participantIn(body: ParticipantFields): ParticipantName | undefined {
  const external = body.client_external_account_id ?? body.client_id
  if (body.client_id !== undefined && body.client_id !== external)
    throw refuse({
      code: 'invalidTokenizationParameter',
      problem: 'client_id and client_external_account_id must be the same',
    })
  if (external !== undefined && body.client_account_id !== undefined)
    throw refuse({
      code: 'invalidTokenizationParameter',
      problem: 'only one of client_account_id and client_external_account_id may be given',
    })
  if (external !== undefined) return { externalId: external }
  const accountId = body.client_account_id
  return accountId === undefined ? undefined : { accountId: accountId.toLowerCase() as AccountId }
}
