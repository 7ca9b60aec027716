import packageJson from '../../../package.json' with { type: 'json' }

/** The version that people and tapes see. The engine has its own, `engineVersion`. */
export const packageVersion = packageJson.version
