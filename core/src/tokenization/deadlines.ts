import { MINUTE } from '../time.ts'

/** Deadline of the issuer's acceptance; then the request is rejected and its shares are released. */
export const ANSWER_WITHIN = 15n * MINUTE
/**
 * Deadline of the tokens; then they are late. The shares stay in custody, and the request needs attention.
 */
export const TOKENS_WITHIN = 60n * MINUTE
