import { ApiError, NetworkError } from '@quipu/sdk'

/** Why something failed, as a sentence. The name of a field at the beginning stays as it is. */
export function problemText(error: Error): string {
  if (error instanceof NetworkError) return 'The server does not answer.'
  if (error instanceof ApiError && error.status === 429) return 'Too many requests. Wait a moment.'
  const text = error.message.trim()
  const begun = /^[\w.]+: /.test(text) ? text : text.replace(/^[a-z]/, (letter) => letter.toUpperCase())
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}

/** The server has no such thing, or the viewer may not see it. */
export const isMissing = (error: Error): boolean => error instanceof ApiError && error.status === 404
