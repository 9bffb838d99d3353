<?php
// A site on PHP's own server: two pages of its own, and SimpleSAMLphp for everything else. The environment names its address (SITE).
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!in_array($path, ['/protected/', '/logout', '/goodbye'], true)) {
    return false;
}
if ($path === '/goodbye') {
    echo 'logged out';
    return true;
}
require '/usr/share/simplesamlphp/lib/_autoload.php';
$login = new \SimpleSAML\Auth\Simple('default-sp');
if ($path === '/logout') {
    $login->logout(getenv('SITE') . '/goodbye');
}
$login->requireAuth();
header('Content-Type: application/json; charset=utf-8');
header('Cache-Control: no-store');
$nameId = $login->getAuthData('saml:sp:NameID');
echo json_encode(
    ['name_id' => $nameId->getValue(), 'attributes' => $login->getAttributes()],
    JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR
);
