import { hex, id, record, type ValueOf } from './schema.ts'

/** A client's key for one logical call, with a digest of the request body. */
export const idempotencyKeySchema = record({ key: id(), bodyHash: hex() })
export type IdempotencyKey = ValueOf<typeof idempotencyKeySchema>
