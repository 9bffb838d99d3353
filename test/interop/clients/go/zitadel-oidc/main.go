package main

import (
	"context"
	"crypto/rand"
	"net/http"

	"clients/application"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

func build(base string, told application.Told) (http.Handler, error) {
	key := []byte(rand.Text()[:16])
	// Over http the cookies cannot be Secure.
	cookies := httphelper.NewCookieHandler(key, key, httphelper.WithUnsecure())
	party, err := rp.NewRelyingPartyOIDC(context.Background(), told.Issuer, told.ClientID, told.ClientSecret,
		base+"/callback", told.Said["scopes"], rp.WithCookieHandler(cookies))
	if err != nil {
		return nil, err
	}
	greet := func(response http.ResponseWriter, _ *http.Request, _ *oidc.Tokens[*oidc.IDTokenClaims], _ string,
		_ rp.RelyingParty, info *oidc.UserInfo) {
		application.Greet(response, info.Name, info.Email)
	}
	routes := http.NewServeMux()
	routes.Handle("/login", rp.AuthURLHandler(rand.Text, party))
	routes.Handle("/callback", rp.CodeExchangeHandler(rp.UserinfoCallback(greet), party))
	return routes, nil
}

func main() { application.Serve(build) }
