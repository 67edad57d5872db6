import { ANY_SYMBOL } from '@quipu/contract'

/** The symbols of a world that a run makes: unknown ones on first use, unless the run is strict. */
export const symbolsOfRun = (isStrict: boolean): { readonly symbols?: readonly string[] } =>
  isStrict ? {} : { symbols: [ANY_SYMBOL] }

/** The flag of the commands that make worlds for a program. */
export const strictSymbols = {
  'strict-symbols': {
    about:
      'Refuse unknown symbols. Default: the worlds that this command makes list an unknown US ticker on first use.',
  },
} as const
