<?php
$config = [
    'default-sp' => [
        'saml:SP',
        'entityID' => getenv('SITE') . '/sp',
        'idp' => getenv('IDP'),
        'privatekey' => 'sp.key',
        'certificate' => 'sp.crt',
        'sign.authnrequest' => true,
        'sign.logout' => true,
    ],
];
