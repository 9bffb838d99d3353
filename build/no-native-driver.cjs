// Stands in for the package pg-native, a compiled driver that `pg` offers on the side and nobody here asks for: dist/ loads
// by name what its manifest depends on, and nothing else (PKG-05).
throw new Error('pg-native is not part of test-idp.');
