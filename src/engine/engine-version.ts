/**
 * The version of what decides: to be raised with every release in which the same events can come to other commands than
 * before. Records of an unclean end are done again by the same version, and recalled by any other. Up to package 0.3.2 it was
 * the version of the package.
 */
export const engineVersion = '1'
