import type { Services } from '../services.ts'

/** Where clients reach this server: QUIPU_PUBLIC_URL, else where it listens. Without a slash at its end. */
export const publicUrlOf = ({ here: { url } }: Pick<Services, 'here'>): string =>
  url.endsWith('/') ? url.replace(/\/+$/, '') : url
