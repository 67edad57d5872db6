import { integer, optional, record, text, withDefault } from '../../shape/index.ts'
import { inWorld } from '../broker/accounts.ts'

/** The fields that all operations about apps share. */
export const appOperation = {
  family: 'broker',
  who: ['partner'],
  scope: 'never',
  headers: inWorld,
  state: 'works',
} as const

export const clientId = text({ max: 128 }).about('Case-insensitive, with or without hyphens.')
export const ofClient = record({ client_id: clientId })

export const page = {
  limit: withDefault(integer({ min: 1, max: 1000 }), 100),
  page_token: optional(text({ min: 1, max: 128 })).about('Id of the last entry of the previous page.'),
}

export const appErrors = ['invalidParameter', 'worldNotFound', 'oauthClientRefused'] as const
