// Replaces the package pg-native, a compiled driver that `pg` offers as an option and this product does not use. So
// dist/ loads only packages of its manifest by name (PKG-05).
throw new Error('pg-native is not part of test-idp.');
