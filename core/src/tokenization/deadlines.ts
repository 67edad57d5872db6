import { MINUTE } from '../time.ts'

/** Deadline of the issuer's acceptance; then the request is rejected and its shares are released. */
export const ANSWER_WITHIN = 15n * MINUTE
/**
 * Deadline of the tokens; then they are late. The shares stay in custody, and an operator must review the request.
 */
export const TOKENS_WITHIN = 60n * MINUTE
