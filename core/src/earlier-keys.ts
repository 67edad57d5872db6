import { hex, id, record } from './schema.ts'

/** An idempotency key in the events of earlier versions. It no longer counts; `callAnswered` stores keys. */
export const idempotencyKeySchema = record({ key: id(), bodyHash: hex() })
