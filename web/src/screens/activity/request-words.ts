import type { LoggedRequest } from '@quipu/sdk'

/** `PKGX…HMKU` */
export const shortKey = (key: string): string =>
  key.length <= 9 ? key : `${key.slice(0, 4)}…${key.slice(-4)}`

/** A path without the world, which the screen names, and with short ids. */
export const shortPath = (path: string): string =>
  path
    .replace(/^\/sim\/v1\/worlds\/[^/]+\//, '/sim/v1/…/')
    .replaceAll(/([0-9a-f]{8})-[0-9a-f-]{27}/g, '$1…')
    .replaceAll(/([0-9a-z]{2}[0-9a-f]{6})[0-9a-f]{24}/g, '$1…')

/** `0.7`, `12`, `1,360`: tenths below 10 ms. */
export const tookText = (ms: number): string =>
  ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en-US')

/** Requests of this page itself: of the same browser. */
export const isOfThisPage = ({ agent }: LoggedRequest): boolean => agent === navigator.userAgent

const clockOperations = /clock/i

/** Requests that read or move a clock. */
export const isOfClock = ({ operation }: LoggedRequest): boolean => clockOperations.test(operation ?? '')
