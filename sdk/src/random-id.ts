/** A random id. `crypto.randomUUID` is missing on web pages that were not loaded over HTTPS. */
export const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
