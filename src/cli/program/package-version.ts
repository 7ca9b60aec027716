import packageJson from '../../../package.json' with { type: 'json' }

/** The version for people and tapes. The engine has its own, `engineVersion`. */
export const packageVersion = packageJson.version
