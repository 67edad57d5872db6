import { closeReasons } from '../session.ts'

/** The codes of a WebSocket that ends without a reason of ours. */
export const NORMAL = 1000
export const NO_CODE = 1005
const LOST = 1006

const { goingAway, released, notResumed, unavailable } = closeReasons

/** Whether the holder is lost, is stopping, has lost its database, or has released the world. */
export const isGone = (code: number, reason: string): boolean =>
  code === LOST ||
  [goingAway, released, notResumed, unavailable].some((gone) => code === gone[0] && reason === gone[1])
