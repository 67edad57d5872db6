import type { Services } from '../services.ts'

/** Where clients reach this server: QUIPU_PUBLIC_URL, else where it listens. Without a slash at its end. */
export const publicUrlOf = ({ here }: Pick<Services, 'here'>): string => here.url.replace(/\/+$/, '')
